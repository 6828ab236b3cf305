"""A planned route as files for the road: GPX for the phone, CSV for the desk, a printed stop list for the clipboard."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from mapping.outputs.files import printable, replace_file, write_csv
from mapping.outputs.plan import Crew, Plan, Stop
from mapping.outputs.stop_list import write_stop_list

GPX = "http://www.topografix.com/GPX/1/1"
HEADER = (
    "crew", "stop", "id", "layer", "kind", "reasons", "due_on", "last_inspection", "last_rating", "road", "pipe",
    "receiving_water", "lat", "lon", "drive_min", "service_min", "eta", "miles_so_far", "snap_ft", "not_visited",
)  # fmt: skip
FACTS = ("due_on", "last_on", "rating", "road", "pipe", "water")


def write_route(plan: Plan, out: Path) -> list[Path]:
    """The plan's files in the folder `out`: `route.csv`, one `crew-N.gpx` a crew, `stops.pdf`; each is swapped in whole."""
    files = [write_csv(out / "route.csv", HEADER, _rows(plan))]
    for number, crew in enumerate(plan.crews, start=1):
        files.append(_write_gpx(plan, crew, number, out / f"crew-{number}.gpx"))
    files.append(write_stop_list(plan, out / "stops.pdf"))
    return files


def _rows(plan: Plan) -> Iterator[tuple[object, ...]]:
    for number, crew in enumerate(plan.crews, start=1):
        miles = 0.0
        for stop in crew.stops:
            miles += stop.leg_mi
            yield _row(number, stop, miles)
    for left in (*plan.unreachable, *plan.left_out):
        yield (None, None, left.id, "outfalls", *[None] * 15, left.why)


def _row(crew: int, stop: Stop, miles: float) -> tuple[object, ...]:
    said = (stop.id, stop.layer, stop.facts["kind"], "; ".join(stop.reasons), *(stop.facts[name] for name in FACTS))
    times = (stop.drive_min, stop.service_min, stop.eta, round(miles, 2), stop.snap_ft)
    return (crew, stop.seq, *said, _degrees(stop.lat), _degrees(stop.lon), *times, None)


def _degrees(value: float) -> Decimal:
    return Decimal(f"{value:.6f}")


def _write_gpx(plan: Plan, crew: Crew, number: int, path: Path) -> Path:
    """GPX 1.1: every stop as a waypoint and again as a point of the route, for many phones show only one of the two."""
    ET.register_namespace("", GPX)
    root = ET.Element(f"{{{GPX}}}gpx", {"version": "1.1", "creator": "MS4 outfall map"})
    title = f"{plan.town}, {plan.on.isoformat()}, crew {number}"
    metadata = ET.SubElement(root, f"{{{GPX}}}metadata")
    _text(metadata, "name", title)
    _text(metadata, "desc", "; ".join(plan.notes) or f"times rest on {plan.basis}")
    for stop in crew.stops:
        _point(root, "wpt", stop.lat, stop.lon, *_words(stop))
    route = ET.SubElement(root, f"{{{GPX}}}rte")
    _text(route, "name", title)
    _text(route, "number", str(number))
    lon, lat = plan.start
    _point(route, "rtept", lat, lon, "Start", f"leave at {plan.start_at}", "", "")
    for stop in crew.stops:
        _point(route, "rtept", stop.lat, stop.lon, *_words(stop))
    _point(route, "rtept", lat, lon, "Back", f"back at {crew.back_at}", "", "")
    tree = ET.ElementTree(root)
    ET.indent(tree)
    return replace_file(path, lambda beside: tree.write(beside, encoding="utf-8", xml_declaration=True))


def _words(stop: Stop) -> tuple[str, str, str, str]:
    facts = (stop.facts[name] for name in ("road", "pipe", "water", "on_foot"))
    return f"{stop.seq:02d} {stop.id}", "; ".join(stop.reasons), ", ".join(fact for fact in facts if fact), stop.eta


def _point(parent: ET.Element, tag: str, lat: float, lon: float, name: str, cmt: str, desc: str, eta: str) -> None:
    """A point with its children in the order that the schema fixes: name, cmt, desc, sym, type."""
    point = ET.SubElement(parent, f"{{{GPX}}}{tag}", {"lat": f"{lat:.6f}", "lon": f"{lon:.6f}"})
    _text(point, "name", name)
    _text(point, "cmt", f"{eta} {cmt}".strip())
    _text(point, "desc", desc)
    _text(point, "sym", "Flag, Blue")
    _text(point, "type", "monitoring location" if eta else "garage")


def _text(parent: ET.Element, tag: str, text: str) -> None:
    """A child with its text, without the control characters that XML 1.0 cannot hold; none where there is nothing to say."""
    kept = printable(text, limit=1000)
    if kept:
        ET.SubElement(parent, f"{{{GPX}}}{tag}").text = kept
