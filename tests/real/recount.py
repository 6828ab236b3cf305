"""The towns' files counted again without the product: `python -m tests.real.recount` prints what docs/real-towns.md says."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry import shape

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
FAR_M = 10.0
FOOT_M = 1200 / 3937
TOUCH_FT = 0.5
WATERS = ("streams", "rivers", "ponds")
Rows = list[tuple[dict[str, Any], shapely.Geometry]]


def read(town: str, name: str, *, epsg: int) -> Rows:
    """Properties and flat shape, in the CRS, of every feature of a GeoJSON file."""
    to = Transformer.from_crs(4326, epsg, always_xy=True)
    features = json.loads((DATA / town / f"{name}.geojson").read_text(encoding="utf-8"))["features"]

    def move(at: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.column_stack(to.transform(at[:, 0], at[:, 1]))

    return [(row["properties"], shapely.transform(shapely.force_2d(shape(row["geometry"])), move)) for row in features]


def values(rows: Rows, *fields: str) -> dict[str, dict[str, int]]:
    """How often each value of a field stands in a file, as it is written."""
    return {field: dict(Counter(str(row[field]) for row, _ in rows).most_common(12)) for field in fields}


def directions(pipes: Rows, structures: dict[str, shapely.Point]) -> dict[str, int]:
    """Of the pipes whose two ids are found: drawn downstream, drawn upstream, or an id more than 10 m from its end."""
    found: Counter[str] = Counter()
    for row, line in pipes:
        up, down = structures.get(row["UP_MH_ID"] or ""), structures.get(row["DN_MH_ID"] or "")
        if up is None or down is None:
            continue
        first, last = shapely.get_point(line, 0), shapely.get_point(line, -1)
        straight, reverse = ([up.distance(a), down.distance(b)] for a, b in ((first, last), (last, first)))
        if min(max(straight), max(reverse)) * FOOT_M > FAR_M:
            found["an id is far off"] += 1
        else:
            found["drawn downstream" if sum(straight) <= sum(reverse) else "drawn upstream"] += 1
    return {"both ids found": sum(found.values()), **found}


def overflows(csos: Rows, waters: dict[str, Rows]) -> dict[str, list[tuple[str, float]]]:
    """For each overflow the nearest water of each file, with the distance in feet."""
    found: dict[str, list[tuple[str, float]]] = {}
    for row, at in csos:
        gaps = {name: [round(at.distance(water), 1) for _, water in rows] for name, rows in waters.items()}
        found[f"CSO{row['ID_Number']}"] = [
            (f"{name}-{feet.index(min(feet))}", min(feet)) for name, feet in gaps.items()
        ]
    return found


def flow(pipes: Iterable[tuple[str, shapely.LineString]], feet: float = TOUCH_FT) -> nx.DiGraph:
    """Pipe → the pipes that its lower end touches anywhere but at their own lower end."""
    ids, lines = zip(*pipes, strict=True)
    tree, graph = shapely.STRtree(lines), nx.DiGraph()
    graph.add_nodes_from(ids)
    for number, line in enumerate(lines):
        end = shapely.get_point(line, -1)
        for other in tree.query(end, predicate="dwithin", distance=feet):
            if other != number and lines[other].project(end) < lines[other].length - feet:
                graph.add_edge(ids[number], ids[other])
    return graph


def follow(basin: shapely.Point, pipes: dict[str, shapely.LineString], graph: nx.DiGraph) -> list[str]:
    """Every pipe that the water of a basin reaches."""
    first = [name for name, line in pipes.items() if leaves(line, basin)]
    return sorted({*first, *(further for name in first for further in nx.descendants(graph, name))})


def leaves(line: shapely.LineString, at: shapely.Point) -> bool:
    """Whether the line touches the place, and not with its lower end."""
    return bool(line.distance(at) <= TOUCH_FT and line.project(at) < line.length - TOUCH_FT)


def downhill(pipes: Rows, structures: dict[str, shapely.Point]) -> dict[str, shapely.LineString]:
    """Bangor's pipes in the direction of the flow: by an id within 5 ft of an end, else by inverts, else as drawn."""
    found: dict[str, shapely.LineString] = {}
    for row, line in pipes:
        first, last = shapely.get_point(line, 0), shapely.get_point(line, -1)
        turned = 0.0
        for field, sign in (("UP_MH_ID", 1), ("DN_MH_ID", -1)):
            at = structures.get(row[field] or "")
            if at is not None and min(at.distance(first), at.distance(last)) <= 5:
                turned += sign * (at.distance(first) - at.distance(last))
        upper, lower = row["BCD_UP_INV"], row["BCD_DN_INV"]
        uphill = turned == 0 and bool(upper and lower) and upper < lower
        name = row["PIPE_ID"] if row["PIPE_ID"] not in found else f"{row['PIPE_ID']}#2"
        found[name] = line.reverse() if turned > 0 or uphill else line
    return found


def bangor() -> dict[str, Any]:
    """The numbers that docs/real-towns.md states for Bangor."""
    names = ("sanitaryCatchbasin", "sanitaryManhole", "sanitaryCso", "sanitaryPipe", "ditch", *WATERS, "roads")
    rows = {name: read("bangor_me", name, epsg=26847) for name in names}
    pipes, basins, manholes = rows["sanitaryPipe"], rows["sanitaryCatchbasin"], rows["sanitaryManhole"]
    structures: dict[str, shapely.Point] = {}
    for row, at in [*manholes, *basins]:
        structures.setdefault(row.get("MANHOLE_ID") or row.get("BASIN_ID") or "", at)
    del structures[""]
    downstream = downhill(pipes, structures)
    graph = flow(downstream.items())
    starts = ("BV050R01", "CT100R01", "KW104R01")
    return {
        "features": {name: len(each) for name, each in rows.items()},
        "pipes": values(pipes, "FLOW_TYPE", "UP_MH_ID", "DN_MH_ID", "BCD_UP_INV", "BCD_DN_INV", "YR_LAID"),
        "manholes": values(manholes, "FLOW_TYPE", "BCD_RIM", "BCD_INV"),
        "basins": values(basins, "FLOW_TYPE", "BCD_RIM", "BCD_INV"),
        "ditches": values(rows["ditch"], "Maintenanc"),
        "feet of pipe drawn": round(sum(line.length for _, line in pipes), 3),
        "feet of pipe stated": round(sum(row["Shape_len"] for row, _ in pipes), 3),
        "directions": directions(pipes, structures),
        "overflows": overflows(rows["sanitaryCso"], {name: rows[name] for name in WATERS}),
        "down from": {name: follow(structures[name], downstream, graph) for name in starts},
    }


def rutland() -> dict[str, Any]:
    """The numbers that docs/real-towns.md states for Rutland."""
    points, lines = (read("rutland_vt", f"RutlandCity{kind}Features", epsg=5646) for kind in ("Point", "Linear"))
    kept = {str(row["OBJECTID"]): line for row, line in lines if row["Status"] != "Abandoned"}
    graph = flow(kept.items())
    of_type = {kind: [at for row, at in points if row["Type"] == kind] for kind in {row["Type"] for row, _ in points}}
    overflow, basins = of_type["Combined sewer outfall"], of_type["Combined sewer catchbasin"]
    ends = {name for name, line in kept.items() if min(map(shapely.get_point(line, -1).distance, overflow)) <= TOUCH_FT}
    above = [kept[name] for name in ends.union(*(nx.ancestors(graph, name) for name in ends))]
    tree = shapely.STRtree(above)
    reaching = sum(any(leaves(above[n], at) for n in tree.query(at, "dwithin", TOUCH_FT)) for at in basins)
    return {
        "points": {"features": len(points), **values(points, "Type", "System_Type")},
        "lines": {"features": len(lines), **values(lines, "Type", "System_Type", "Status")},
        "drawn twice": [len(rows) - len({at.wkb for _, at in rows}) for rows in (lines, points)],
        "feet of pipe": round(sum(line.length for _, line in lines)),
        "basins whose pipes lead to an overflow": reaching,
        "down from 3267": follow(next(at for row, at in points if row["OBJECTID"] == 3267), kept, graph),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps({"bangor": bangor(), "rutland": rutland()}, indent=1) + "\n")
