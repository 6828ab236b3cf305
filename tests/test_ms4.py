"""The four questions of § 194-3, one asset at a time."""

from __future__ import annotations

import pytest

from mapping.ms4 import is_ms4, ms4_test
from tests.support import town

LINE = "LINESTRING (0 0, 100 0)"


@pytest.mark.parametrize(
    ("owner", "system", "expected"),
    [
        ("Town", "storm", "yes"),
        ("unknown", "storm", "unknown"),
        ("Town", "unknown", "unknown"),
        ("State", "storm", "no"),
        ("Town", "combined", "no"),
        ("Town", "sanitary", "no"),
        ("unknown", "combined", "no"),
    ],
)
def test_a_pipe_is_ms4_only_if_all_four_answers_are_yes(owner: str, system: str, expected: str) -> None:
    made = town(pipes={"P": (LINE, {"owner": owner, "system": system})})
    assert is_ms4(made, "pipes", "P") == expected


def test_a_town_ditch_is_ms4_without_a_recorded_system() -> None:
    assert is_ms4(town(ditches={"D": (LINE, {"owner": "Town"})}), "ditches", "D") == "yes"


def test_an_outfall_of_unknown_kind_and_system_stays_open() -> None:
    made = town(
        outfalls={"A": ("POINT (0 0)", {"owner": "Town"}), "B": ("POINT (9 0)", {"owner": "Town", "kind": "outfall"})}
    )
    assert ms4_test(made, "outfalls")["is_ms4"].to_dict() == {"A": "unknown", "B": "yes"}


def test_the_basis_names_the_facts() -> None:
    made = town(pipes={"P": (LINE, {"owner": "Town", "system": "combined"})})
    assert ms4_test(made, "pipes").at["P", "basis"] == "owner Town, system combined"
