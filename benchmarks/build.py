"""`build --fresh` against the plain geopandas + networkx way on the same worlds, whole processes in turn.

python -m benchmarks.build [--scales 1 25 100] [--runs 3] [--bench ../shared/bench]

Prints for each scale the medians of wall seconds and of peak memory, their ratios, the stages of both sides, and how our time
grows from one scale to the next as an exponent of the number of towns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SIDES = ("ours", "plain")


@dataclass(frozen=True)
class Run:
    """One process: wall seconds, peak memory in MB, and what it printed."""

    seconds: float
    peak_mb: float
    printed: str


def run(command: Sequence[str], cwd: Path) -> Run:
    """Runs a command to its end; a failure ends the benchmark.

    This process stays small (standard library alone): a child's peak counts what it shared with its parent at its birth.
    """
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as printed:
        child = subprocess.Popen(command, cwd=cwd, stdout=printed)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            sys.exit(f"{' '.join(command)} failed with {status}")
        printed.seek(0)
        return Run(seconds, usage.ru_maxrss / 1024, printed.read())


def make_town(world: Path, folder: Path) -> None:
    """The town of a world, imported and built once."""
    ours = [sys.executable, "-m", "mapping"]
    run([*ours, "new", str(folder), "--name", "Bench", "--crs", "EPSG:26918"], ROOT)
    source = str(world / "world.gpkg")
    for name in ("nodes", "lines"):
        run([*ours, "import", str(folder), source, "--crosswalk", str(HERE / "crosswalks" / f"{name}.toml")], ROOT)
    for layer, own in (("parcels", "parcels"), ("waters", "waterbodies"), ("watersheds", "watersheds")):
        run([*ours, "import", str(folder), source, "--as", layer, "--source-layer", own], ROOT)


def measure(scale: int, bench: Path, runs: int, room: Path) -> dict[str, list[Run]]:
    """The runs of both sides on a world of `scale` towns, in turn."""
    world, town = room / f"world-{scale}", room / f"town-{scale}"
    run([sys.executable, str(bench / "make_world.py"), str(world), "--scale", str(scale), "--formats", "gpkg"], bench)
    make_town(world, town)
    commands = {
        "ours": ([sys.executable, "-m", "mapping", "build", str(town), "--fresh", "--json"], ROOT),
        "plain": ([sys.executable, str(bench / "baseline_geopandas.py"), str(world), "gpkg"], bench),
    }
    made: dict[str, list[Run]] = {side: [] for side in SIDES}
    for _ in range(runs):
        for side in SIDES:
            made[side].append(run(*commands[side]))
    return made


def report(scale: int, made: dict[str, list[Run]]) -> Iterator[str]:
    """What was measured at one scale, line by line."""
    seconds, peak = ({side: statistics.median(getattr(each, name) for each in made[side]) for side in SIDES}
                     for name in ("seconds", "peak_mb"))  # fmt: skip
    ratio = {name: each["ours"] / each["plain"] for name, each in (("seconds", seconds), ("peak", peak))}
    yield f"{scale:4d} towns: {seconds['ours']:.2f} s against {seconds['plain']:.2f} s, ratio {ratio['seconds']:.2f}"
    yield f"           peak {peak['ours']:.0f} MB against {peak['plain']:.0f} MB, ratio {ratio['peak']:.2f}"
    stages = json.loads(made["ours"][-1].printed)["seconds"]
    yield f"           ours:  {', '.join(f'{name} {value:.2f}' for name, value in stages.items())}"
    plain = json.loads(made["plain"][-1].printed.strip().splitlines()[-1])["stages"]
    told = ", ".join("{stage} {wall:.2f}".format(**each) for each in plain)
    yield f"           plain: {told}"


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scales", type=int, nargs="+", default=[1, 25])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--bench", type=Path, default=ROOT.parent / "shared" / "bench")
    asked = parser.parse_args()
    if not asked.bench.is_dir():
        sys.exit(f"the world maker is not at {asked.bench}; name its folder with --bench")
    before: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as room:
        for scale in asked.scales:
            made = measure(scale, asked.bench.resolve(), asked.runs, Path(room))
            print("\n".join(report(scale, made)))
            ours = statistics.median(each.seconds for each in made["ours"])
            if before:
                growth = math.log(ours / before[1]) / math.log(scale / before[0])
                print(f"           growth from {before[0]} to {scale} towns: n^{growth:.2f}")
            before = scale, ours


if __name__ == "__main__":
    main()
