"""What drains the sample town: basins, lines and outfalls as they lie on the plan."""

from __future__ import annotations

from dataclasses import dataclass, field

from shapely import LineString, MultiLineString

XY = tuple[float, float]


@dataclass
class Structure:
    """A catch basin or manhole; elevations in feet."""

    id: str
    kind: str
    xy: XY
    road: str
    owner: str
    rim_ft: float = 0.0
    invert_ft: float = 0.0


@dataclass
class Line:
    """A pipe, ditch or culvert, drawn the way the water runs; an end without a structure has no id."""

    id: str
    kind: str
    path: LineString | MultiLineString
    from_id: str
    to_id: str
    owner: str
    road: str
    system: str = "storm"
    status: str = "active"
    inverts_ft: tuple[float, float] | None = None


@dataclass
class Outfall:
    """An outfall or a connection to another system."""

    id: str
    kind: str
    xy: XY
    owner: str
    road: str
    segment: str
    piped: bool
    remarks: str = ""


@dataclass
class Drainage:
    """Everything that carries stormwater, by kind; ids are given in the order of making."""

    structures: list[Structure] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    outfalls: list[Outfall] = field(default_factory=list)

    def add_structure(self, kind: str, xy: XY, road: str, owner: str) -> Structure:
        """A new structure with the next id of its kind."""
        mark, first = ("MH", 1) if kind == "Manhole" else ("CB", 101)
        number = first + sum(each.id.startswith(mark) for each in self.structures)
        self.structures.append(Structure(f"{mark}-{number:03d}", kind, rounded(xy), road, owner))
        return self.structures[-1]

    def add_line(self, kind: str, path: LineString, ends: tuple[str, str], owner: str, road: str) -> Line:
        """A new line with the next id: ten characters of text, zeros in front."""
        line = Line(f"{2001 + len(self.lines):010d}", kind, path, *ends, owner, road)
        self.lines.append(line)
        return line

    def add_outfall(self, kind: str, xy: XY, owner: str, road: str, segment: str, *, piped: bool) -> Outfall:
        """A new outfall with the next id."""
        outfall = Outfall(f"OF-{1 + len(self.outfalls):03d}", kind, rounded(xy), owner, road, segment, piped)
        self.outfalls.append(outfall)
        return outfall

    def structure(self, number: str) -> Structure:
        """The structure of that id."""
        return next(each for each in self.structures if each.id == number)


def rounded(xy: XY) -> XY:
    """The point to a hundredth of a foot, as everything on the plan stands."""
    return round(xy[0], 2), round(xy[1], 2)
