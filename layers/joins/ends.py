"""What the ends of lines join, and the pieces into which lines are cut where something joins their middle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import shapely

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Ends:
    """What the two ends of each line join, arrays of shape (lines, 2): node number (-1: nothing yet), distance, doubt."""

    node: Ints
    gap_ft: Floats
    doubtful: Bools

    def joined(self, at: tuple[Ints, Ints], node: Ints, gap_ft: Floats, *, doubtful: bool = False) -> Ends:
        """These ends with the ends `at` (rows, sides) joined to nodes."""
        new = Ends(self.node.copy(), self.gap_ft.copy(), self.doubtful.copy())
        new.node[at], new.gap_ft[at], new.doubtful[at] = node, gap_ft, doubtful
        return new


def lines_meet(ends: Ends, touches: pd.DataFrame, one: Ints, other: Ints) -> Bools:
    """For each pair of lines whether they have a node in common."""
    on: dict[int, set[int]] = {line: set(ends.node[line]) - {-1} for line in {*one.tolist(), *other.tolist()}}
    for line, node in zip(touches["line"], touches["node"], strict=True):
        if line in on:
            on[line].add(node)
    return np.array([not on[a].isdisjoint(on[b]) for a, b in zip(one.tolist(), other.tolist(), strict=True)], bool)


def cut_lines(shapes: npt.NDArray[np.object_], ends: Ends, touches: pd.DataFrame) -> pd.DataFrame:
    """One row a piece of a line: line, part, start and end node as drawn, geometry."""
    touches = touches.sort_values(["line", "along", "node"])
    line, along, node = (touches[name].to_numpy() for name in ("line", "along", "node"))
    cut, first = np.unique(line, return_index=True)
    whole = np.setdiff1d(np.arange(len(shapes)), cut)
    pieces = np.diff(np.append(first, len(line))) + 1
    last = np.cumsum(pieces) - 1
    of_cut = np.repeat(cut, pieces)
    start, end = np.empty(len(of_cut), np.int64), np.empty(len(of_cut), np.int64)
    start[np.append(0, last[:-1] + 1)[: len(cut)]], end[last] = ends.node[cut, 0], ends.node[cut, 1]
    inner = np.setdiff1d(np.arange(len(of_cut)), last)
    end[inner], start[inner + 1] = node, node
    return pd.DataFrame(
        {
            "line": np.concatenate([whole, of_cut]),
            "part": np.concatenate(
                [np.zeros(len(whole), np.int64), np.arange(len(of_cut)) - np.repeat(last - pieces + 1, pieces)]
            ),
            "start": np.concatenate([ends.node[whole, 0], start]),
            "end": np.concatenate([ends.node[whole, 1], end]),
            "geometry": np.concatenate([shapes[whole], _cut(shapes, cut, line, along)]),
        }
    )


def _cut(shapes: npt.NDArray[np.object_], cut: Ints, line: Ints, along: Floats) -> npt.NDArray[np.object_]:
    """The lines `cut`, each cut at the distances `along` of its rows in `line` (both sorted), piece by piece."""
    at, owner = shapely.get_coordinates(shapes[cut], return_index=True)
    step = np.hypot(*np.diff(at, axis=0, prepend=at[:1]).T)
    step[np.diff(owner, prepend=-1) != 0] = 0.0
    run = np.cumsum(step)
    run -= run[np.searchsorted(owner, np.arange(len(cut)))][owner]
    places = shapely.get_coordinates(shapely.line_interpolate_point(shapes[line], along))
    whose = np.concatenate([owner, np.searchsorted(cut, line)])
    distance, is_cut = np.concatenate([run, along]), np.repeat([0, 1], [len(at), len(line)])
    order = np.lexsort((is_cut, distance, whose))
    xy, whose, distance, is_cut = np.concatenate([at, places])[order], whose[order], distance[order], is_cut[order]
    beside = (np.abs(np.diff(distance)) < 1e-9) & (np.diff(whose) == 0)  # a vertex where the cut is would stand twice
    double = (is_cut == 0) & (
        np.append(beside & (is_cut[1:] == 1), False) | np.append(False, beside & (is_cut[:-1] == 1))
    )
    xy, whose, is_cut = xy[~double], whose[~double], is_cut[~double]
    twice = np.repeat(np.arange(len(xy)), 1 + is_cut)  # a cut ends one piece and begins the next
    begins = np.append(True, (np.diff(twice) == 0) | (np.diff(whose[twice]) != 0)) if len(twice) else np.empty(0, bool)
    made = shapely.linestrings(xy[twice], indices=np.cumsum(begins) - 1) if len(twice) else np.empty(0, object)
    return np.asarray(made, dtype=object)
