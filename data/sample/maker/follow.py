"""Where the water of a place goes, read from the lines' ends: used to plant things where they will be found."""

from __future__ import annotations

from maker.drainage import Drainage, Line

XY = tuple[float, float]


def place(xy: XY) -> XY:
    """The point to a tenth of a foot: lines that meet on the plan share it."""
    return round(xy[0], 1), round(xy[1], 1)


def components(drains: Drainage) -> dict[str, int]:
    """Line id → number of its connected system, before any fault is planted."""
    number: dict[XY, int] = {}
    label = {line.id: k for k, line in enumerate(drains.lines)}
    changed = True
    while changed:
        changed = False
        for line in drains.lines:
            ends = [place(line.path.coords[0]), place(line.path.coords[-1])]
            low = min([label[line.id], *(number.get(end, label[line.id]) for end in ends)])
            changed = changed or low != label[line.id] or any(number.get(end) != low for end in ends)
            label[line.id] = low
            number.update(dict.fromkeys(ends, low))
    return label


def location_below(drains: Drainage, start: XY) -> str:
    """The id of the first outfall or interconnection that the water of a place comes to, "" where there is none."""
    leaving: dict[XY, Line] = {place(line.path.coords[0]): line for line in drains.lines}
    locations = {place(each.xy): each for each in drains.outfalls if each.kind in ("Outfall", "Interconnection")}
    here = place(start)
    for _ in range(len(drains.lines)):
        if here in locations:
            return locations[here].id
        if here not in leaving:
            return ""
        here = place(leaving[here].path.coords[-1])
    return ""
