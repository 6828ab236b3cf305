"""Figures about speed, as ratios to the plain way in the same run; never part of the tests."""
