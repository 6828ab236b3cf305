"""The printed stop list: one block a stop, boxes to tick, black on white, complete without a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.graphics import renderPDF
from reportlab.graphics.barcode.qr import QrCodeWidget
from reportlab.graphics.shapes import Drawing
from reportlab.lib.pagesizes import letter
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from mapping.outputs.files import printable, replace_file
from mapping.outputs.plan import Crew, Left, Plan, Stop
from mapping.outputs.strokes import BOLD, PLAIN, blank, box, fit, lines, register_fonts, say, say_right
from mapping.words import say_day

WIDTH, HEIGHT = letter
MARGIN, FOOT, BLOCK, HEAD = 36.0, 44.0, 80.0, 178.0
"""Points: margins, the footer, one stop, the head of a crew's first page."""
FIRST = int((HEIGHT - 2 * MARGIN - FOOT - HEAD) // BLOCK)
LATER = int((HEIGHT - 2 * MARGIN - FOOT - 26) // BLOCK)
LINES = 38
"""Locations that are not on the route, a page."""
RAIN_WORDS = {"yes": "dry weather", "no": "NOT dry weather", "unknown": "nothing, dry weather unknown"}
SPILLS = "NYSDEC Spill Hotline 1-800-457-7362"
EQUIPMENT = (
    "Waders, gloves, vests, GPS, clipboard, tape, stopwatch, 1 L bottle, ammonia strips, thermometer, pH, camera, chalk, "
    "flow traps, sample bottles and ice, chain of custody forms"
)


def write_stop_list(plan: Plan, path: Path) -> Path:
    """A letter-size PDF: a head and the stops for each crew, then every due location that is not on the route."""
    return replace_file(path, lambda beside: _draw(plan, beside))


def _draw(plan: Plan, path: Path) -> None:
    register_fonts()
    pages = [page for number in range(len(plan.crews)) for page in _crew_pages(plan, number)]
    rest = [*plan.unreachable, *plan.left_out]
    pages += [("rest", rest[at : at + LINES]) for at in range(0, len(rest), LINES)]
    pages = pages or [("rest", [])]
    canvas = Canvas(str(path), pagesize=letter, invariant=1, pageCompression=1)
    canvas.setTitle(printable(f"{plan.town}: stops on {plan.on.isoformat()}"))
    for number, (kind, *content) in enumerate(pages, start=1):
        canvas.setLineWidth(0.7)
        if kind == "rest":
            _draw_rest(canvas, plan, *content)
        else:
            _draw_crew_page(canvas, plan, *content)
        _draw_foot(canvas, plan, f"page {number} of {len(pages)}")
        canvas.showPage()
    canvas.save()


def _crew_pages(plan: Plan, crew: int) -> list[tuple[Any, ...]]:
    stops = plan.crews[crew].stops
    miles, so_far = 0.0, {}
    for stop in stops:
        miles += stop.leg_mi
        so_far[stop.seq] = miles
    chunks = [stops[:FIRST], *(stops[at : at + LATER] for at in range(FIRST, len(stops), LATER))]
    return [("crew", crew, chunk, so_far, at == 0) for at, chunk in enumerate(chunks)]


def _draw_crew_page(
    canvas: Any, plan: Plan, number: int, stops: Sequence[Stop], miles: dict[int, float], first: bool
) -> None:
    crew = plan.crews[number]
    top = HEIGHT - MARGIN
    _draw_title(canvas, plan, f"Crew {number + 1} of {len(plan.crews)}")
    top -= 26
    if first:
        _draw_head(canvas, plan, crew, top)
        top = HEIGHT - MARGIN - HEAD
    canvas.line(MARGIN, top, WIDTH - MARGIN, top)
    for at, stop in enumerate(stops):
        _draw_stop(canvas, stop, miles[stop.seq], top - at * BLOCK)


def _draw_title(canvas: Any, plan: Plan, title: str) -> None:
    """Town, what the page holds, and the day."""
    y, day = HEIGHT - MARGIN - 13, say_day(plan.on)
    room = WIDTH - 2 * MARGIN - pdfmetrics.stringWidth(day, BOLD, 13) - 16
    say(canvas, MARGIN, y, fit(f"{title} · {plan.town}", BOLD, 13, room), BOLD, 13)
    say_right(canvas, WIDTH - MARGIN, y, day, BOLD, 13)


def _draw_head(canvas: Any, plan: Plan, crew: Crew, top: float) -> None:
    lon, lat = plan.start
    say(
        canvas,
        MARGIN,
        top - 6,
        f"{len(crew.stops)} stops · {crew.drive_min:.0f} min driving · {crew.service_min:.0f} min on site · "
        f"{crew.length_mi:.1f} mi · leave {plan.start_at}, back {crew.back_at} · start and end {lat:.6f}, {lon:.6f}",
        PLAIN,
        8.5,
    )
    y = top - 32
    blank(canvas, MARGIN, y, 250, "Crew (two persons or more)")
    blank(canvas, MARGIN + 260, y, 130, "Vehicle")
    blank(canvas, MARGIN + 400, y, 140, "Sunset")
    _draw_rain(canvas, plan, y - 12)
    y -= 76
    say(canvas, MARGIN, y, f"Emergency 911 · {SPILLS} · Nearest hospital", BOLD, 8.5)
    canvas.line(MARGIN + 358, y - 2, WIDTH - MARGIN, y - 2)
    lost = ", ".join(left.id for left in plan.unreachable)
    warning = f"Cannot be reached by road ({len(plan.unreachable)}): {lost}" if lost else ""
    more = f"Not on the route: {len(plan.left_out)}, see the last page" if plan.left_out else ""
    straight = "" if plan.basis == "roads" else "TIMES ARE THOSE OF STRAIGHT LINES, NO ROADS ON RECORD"
    note = " · ".join(text for text in (straight, warning, more) if text)
    for line in simpleSplit(printable(note, limit=400), BOLD, 8, WIDTH - 2 * MARGIN)[:2]:
        y -= 12
        say(canvas, MARGIN, y, line, BOLD, 8)


def _draw_rain(canvas: Any, plan: Plan, top: float) -> None:
    """The go or no-go box: dry weather is never taken for granted."""
    canvas.rect(MARGIN, top - 48, WIDTH - 2 * MARGIN, 46)
    say(canvas, MARGIN + 6, top - 14, f"Rain before the visit (on record: {RAIN_WORDS[plan.dry_weather]})", BOLD, 8.5)
    for at, hours in enumerate((24, 48, 72)):
        blank(canvas, MARGIN + 6 + at * 92, top - 38, 60, f"last {hours} h, in")
    blank(canvas, MARGIN + 6 + 276, top - 38, 70, "read where")
    for at, text in enumerate(("GO: 48 h or more since the last runoff", "NO-GO: wet, or nobody knows")):
        y = top - 22 - at * 18
        box(canvas, MARGIN + 362, y, 12)
        say(canvas, MARGIN + 379, y + 2, text, PLAIN, 7.5)


def _draw_stop(canvas: Any, stop: Stop, miles: float, top: float) -> None:
    bottom = top - BLOCK
    canvas.line(MARGIN, bottom, WIDTH - MARGIN, bottom)
    box(canvas, MARGIN, top - 32, 24)
    say(canvas, MARGIN + 32, top - 27, str(stop.seq), BOLD, 20)
    facts = stop.facts
    left, middle, right = MARGIN + 66, MARGIN + 268, MARGIN + 404
    say(canvas, left, top - 16, fit(stop.id, BOLD, 12, 192), BOLD, 12)
    due = f"due {facts['due_on']}" if facts["due_on"] else ""
    last = f"last {facts['last_on']} {facts['rating']}" if facts["last_on"] else ""
    say(canvas, left, top - 28, fit(", ".join(filter(None, (facts["kind"], due))), PLAIN, 8, 192), PLAIN, 8)
    lines(canvas, left, top - 39, "; ".join(stop.reasons), 192, 2)
    say(canvas, left, top - 61, last, PLAIN, 8)
    place = [facts["road"], facts["pipe"], f"to {facts['water']}" if facts["water"] else "", facts["on_foot"]]
    lines(canvas, middle, top - 15, " · ".join(text for text in place if text) or "road not on record", 128, 3)
    say(canvas, middle, top - 50, f"{stop.lat:.6f}, {stop.lon:.6f}", PLAIN, 8)
    say(canvas, right, top - 16, stop.eta, BOLD, 13)
    times = (f"drive {stop.drive_min:.0f} min", f"site {stop.service_min:.0f} min", f"{miles:.1f} mi so far")
    for at, text in enumerate(times):
        say(canvas, right, top - 28 - at * 11, text, PLAIN, 8)
    _draw_qr(canvas, stop, WIDTH - MARGIN - 62, top - 66)
    for at, text in enumerate(("flow", "sample", "photo", "no access")):
        box(canvas, left + at * 60, bottom + 6, 9)
        say(canvas, left + at * 60 + 12, bottom + 7, text, PLAIN, 8)
    say(canvas, left + 258, bottom + 7, "notes", PLAIN, 8)
    canvas.setDash(1, 2)
    canvas.line(left + 286, bottom + 6, WIDTH - MARGIN - 66, bottom + 6)
    canvas.setDash()


def _draw_qr(canvas: Any, stop: Stop, x: float, y: float) -> None:
    """A code that opens the place in the phone's map."""
    link = f"https://www.google.com/maps/search/?api=1&query={stop.lat:.6f},{stop.lon:.6f}"
    code = QrCodeWidget(link, barLevel="L")
    left, bottom, right, top = code.getBounds()
    size = 62.0
    drawing = Drawing(size, size, transform=[size / (right - left), 0, 0, size / (top - bottom), 0, 0])
    drawing.add(code)
    renderPDF.draw(drawing, canvas, x, y)


def _draw_rest(canvas: Any, plan: Plan, rest: Sequence[Left]) -> None:
    top = HEIGHT - MARGIN
    _draw_title(canvas, plan, "Due, but not on the route")
    if not rest:
        say(canvas, MARGIN, top - 40, "Nothing is due on this day.", PLAIN, 10)
    for at, left in enumerate(rest):
        y = top - 42 - at * 16
        box(canvas, MARGIN, y - 1, 10)
        say(canvas, MARGIN + 18, y, fit(left.id, BOLD, 9, 130), BOLD, 9)
        say(canvas, MARGIN + 156, y, fit(left.why, PLAIN, 8, WIDTH - 2 * MARGIN - 156), PLAIN, 8)


def _draw_foot(canvas: Any, plan: Plan, page: str) -> None:
    canvas.line(MARGIN, MARGIN + 30, WIDTH - MARGIN, MARGIN + 30)
    for at, line in enumerate(simpleSplit(EQUIPMENT, PLAIN, 7, WIDTH - 2 * MARGIN)[:2]):
        say(canvas, MARGIN, MARGIN + 20 - at * 9, line, PLAIN, 7)
    say(canvas, MARGIN, MARGIN - 2, f"times rest on {plan.basis}; what is due as of {plan.on.isoformat()}", PLAIN, 7)
    say_right(canvas, WIDTH - MARGIN, MARGIN - 2, page, PLAIN, 7)
