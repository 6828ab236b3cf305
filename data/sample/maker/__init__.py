"""Makes the sample town: a plan drawn by hand, and everything else grown on it from one seed."""
