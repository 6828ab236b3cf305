"""The work list: what is wrong or missing on the map, as a CSV and on paper, for a field crew and for whoever keeps the map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import geopandas as gpd
import numpy as np
import shapely
from reportlab.lib.pagesizes import letter
from reportlab.pdfgen.canvas import Canvas

from layers.crs import to_lonlat
from layers.schema import schema
from layers.town import Town
from mapping.findings import Finding, Report
from mapping.findings.finding import DECIMALS, SEVERITY
from mapping.outputs.files import printable, replace_file, write_csv
from mapping.outputs.places import is_usable
from mapping.outputs.strokes import BOLD, PLAIN, blank, box, fit, lines, register_fonts, say, say_right
from mapping.words import say_day

FAMILIES = ("NET", "OUT")
"""Families of rules whose findings are work on the map; suspicions are cases, not work lists."""
AT_DESK = frozenset({"NET-05", "NET-09", "NET-10", "NET-11", "NET-12", "NET-15", "NET-19", "NET-21"})
"""Rules whose findings are looked up in files first; all others want somebody to go there."""
RANKED = frozenset({"NET-02"})
"""Rules whose findings stand in the order in which to mend them; those of others are put in the order of their measure."""
HEADER = (
    "no", "severity", "take", "rule", "title", "layer", "id", "measure", "value", "unit", "what", "next_action", "confidence",
    "longitude", "latitude", "finding",
)  # fmt: skip
WIDTH, HEIGHT = letter
MARGIN, FOOT, HEAD, BLOCK = 36.0, 30.0, 64.0, 54.0
"""Points: margins, the footer, the head of a page, one item."""
A_PAGE = int((HEIGHT - 2 * MARGIN - FOOT - HEAD) // BLOCK)


@dataclass(frozen=True)
class WorkItem:
    """One thing to do: how grave, for whom (`field` or `desk`), about what, how much, why, the next action, and where."""

    no: int
    severity: str
    take: str
    rule: str
    title: str
    layer: str
    id: str
    measure: str
    value: float | None
    unit: str
    what: str
    next_action: str
    confidence: str
    longitude: float | None
    latitude: float | None
    finding: str

    @property
    def row(self) -> tuple[Any, ...]:
        """The cells of its row under HEADER."""
        return tuple(asdict(self)[name] for name in HEADER)


def work_items(town: Town, report: Report, *, take: str = "", notes: bool = True) -> list[WorkItem]:
    """Every open finding about the network and the outfall inventory, the gravest first, then rule by rule, the most first.

    `take`: only what is for the `field` or for the `desk`; without `notes` only errors and warnings. Numbers count from 1.
    """
    found = [
        each
        for each in report.findings
        if each.rule[:3] in FAMILIES
        and each.status == "open"
        and (notes or each.severity != "note")
        and take in ("", _take(each))
    ]
    rules = {code: place for place, code in enumerate(report.looked_at)}
    found.sort(key=lambda each: (SEVERITY.index(each.severity), rules[each.rule], _most_first(each)))
    places = _places(town, found)
    return [_item(number, each, at) for number, (each, at) in enumerate(zip(found, places, strict=True), start=1)]


def write_worklist(
    town: Town, report: Report, out: Path, *, on: date, take: str = "", notes: bool = True
) -> dict[str, Any]:
    """Writes `worklist.csv` and `worklist.pdf` into the folder; returns how many items of each severity, and the files."""
    items = work_items(town, report, take=take, notes=notes)
    files = [
        write_csv(out / "worklist.csv", HEADER, (each.row for each in items)),
        replace_file(out / "worklist.pdf", lambda beside: _draw(town.name, items, on, beside)),
    ]
    counts = {word: sum(each.severity == word for each in items) for word in SEVERITY}
    return {"items": len(items), "severity": counts, "files": [str(each) for each in files]}


def _take(finding: Finding) -> str:
    return "desk" if finding.rule in AT_DESK else "field"


def _most_first(finding: Finding) -> float:
    return -finding.measure.value if finding.measure and finding.rule not in RANKED else 0.0


def _places(town: Town, findings: Sequence[Finding]) -> list[tuple[float, float] | None]:
    """Longitude and latitude of each finding, None where it is nowhere."""
    usable = [each.geometry if is_usable(each.geometry) else None for each in findings]
    points = [each.representative_point() if each is not None else None for each in usable]
    if not points:
        return []
    placed = to_lonlat(gpd.GeoSeries(points, crs=town.crs)).to_numpy()
    at = np.round(np.column_stack([shapely.get_x(placed), shapely.get_y(placed)]), DECIMALS)
    return [None if np.isnan(lon) else (float(lon), float(lat)) for lon, lat in at]


def _item(number: int, finding: Finding, at: tuple[float, float] | None) -> WorkItem:
    measure = finding.measure
    return WorkItem(
        no=number,
        severity=finding.severity,
        take=_take(finding),
        rule=finding.rule,
        title=finding.title,
        layer=finding.subject[0],
        id=finding.subject[1],
        measure=measure.name.replace("_", " ") if measure else "",
        value=measure.value if measure else None,
        unit=measure.unit if measure else "",
        what="; ".join(fact.text for fact in finding.facts_for),
        next_action=finding.clears[0],
        confidence=finding.confidence,
        longitude=at[0] if at else None,
        latitude=at[1] if at else None,
        finding=finding.id,
    )


# -- on paper


def _draw(town: str, items: Sequence[WorkItem], on: date, path: Path) -> None:
    register_fonts()
    canvas = Canvas(str(path), pagesize=letter, invariant=1, pageCompression=1)
    canvas.setTitle(printable(f"{town}: work list of {on.isoformat()}"))
    pages = [items[at : at + A_PAGE] for at in range(0, len(items), A_PAGE)] or [[]]
    for number, page in enumerate(pages, start=1):
        canvas.setLineWidth(0.7)
        _draw_head(canvas, town, items, on)
        for place, item in enumerate(page):
            _draw_item(canvas, item, HEIGHT - MARGIN - HEAD - place * BLOCK)
        say(
            canvas,
            MARGIN,
            MARGIN - 2,
            "proposals are to be looked at: nothing is changed until it is recorded",
            PLAIN,
            7,
        )
        say_right(canvas, WIDTH - MARGIN, MARGIN - 2, f"page {number} of {len(pages)}", PLAIN, 7)
        canvas.showPage()
    canvas.save()


def _draw_head(canvas: Any, town: str, items: Iterable[WorkItem], on: date) -> None:
    """Town and day, how much there is to do, and who does it."""
    y = HEIGHT - MARGIN - 13
    say(canvas, MARGIN, y, fit(f"Work list · {town}", BOLD, 13, 380), BOLD, 13)
    say_right(canvas, WIDTH - MARGIN, y, say_day(on), BOLD, 13)
    counts = {word: sum(each.severity == word for each in items) for word in SEVERITY}
    total = " · ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
    say(canvas, MARGIN, y - 16, total, PLAIN, 8.5)
    blank(canvas, WIDTH - MARGIN - 300, y - 24, 180, "who")
    blank(canvas, WIDTH - MARGIN - 110, y - 24, 110, "done on")
    canvas.line(MARGIN, HEIGHT - MARGIN - HEAD, WIDTH - MARGIN, HEIGHT - MARGIN - HEAD)


def _draw_item(canvas: Any, item: WorkItem, top: float) -> None:
    """A box to tick, what it is about and how much, why, what to do next, where it is, and room for what was found."""
    canvas.line(MARGIN, top - BLOCK, WIDTH - MARGIN, top - BLOCK)
    box(canvas, MARGIN, top - 24, 16)
    left, right, room = MARGIN + 26, WIDTH - MARGIN, 350.0
    name = f"{item.no}  {schema(item.layer).one} {item.id}"
    say(canvas, left, top - 13, fit(name, BOLD, 9.5, 200), BOLD, 9.5)
    say(canvas, left + 206, top - 13, fit(item.title, PLAIN, 8, 200), PLAIN, 8)
    amount = [] if item.value is None else [f"{item.value:,g} {item.unit}"]
    say_right(canvas, right, top - 13, " · ".join([*amount, item.severity, item.take, item.rule]), PLAIN, 8)
    say(canvas, left, top - 24, fit(item.what, PLAIN, 8, room + 40), PLAIN, 8)
    lines(canvas, left, top - 35, f"→ {item.next_action}", room + 30, 2)
    place = "no place on record" if item.latitude is None else f"{item.latitude:.6f}, {item.longitude:.6f}"
    say_right(canvas, right, top - 24, place, PLAIN, 8)
    blank(canvas, right - 130, top - 40, 130, "found")
