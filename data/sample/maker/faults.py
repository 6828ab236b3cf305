"""Faults of the kinds that real towns' files have, planted in the network, each in a system of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from shapely import LineString, MultiLineString, Point
from shapely.ops import substring

from maker.curves import beside, stretch_beside
from maker.drainage import Line, Structure, rounded
from maker.follow import components
from maker.planted import Planted, Town
from maker.runs import nearest_bank

GPKG, CSV = "stormwater.gpkg", "outfalls.csv"
LAYERS = {"Pipe": "pipes", "Ditch": "ditches", "Culvert": "culverts"}


class Planter:
    """Finds for each fault a line of the Town's in a system that no other fault has touched."""

    def __init__(self, town: Town, spared: set[str]) -> None:
        self.town = town
        self.label = components(town.drains)
        self.used = {self.label[line.id] for line in town.drains.lines if {line.from_id, line.to_id} & spared}

    def pick(self, fits: Callable[[Line], bool], *, lines: int = 4) -> Line:
        """The first fitting line of the Town in a fresh system of at least so many lines."""
        sizes = {label: list(self.label.values()).count(label) for label in set(self.label.values())}
        for line in self.town.drains.lines:
            label = self.label.get(line.id, -1)
            if line.owner == "TOWN" and label not in self.used and sizes.get(label, 0) >= lines and fits(line):
                self.used.add(label)
                self.town.kept_ids.add(line.id)
                return line
        raise LookupError("no system is left for this fault")

    def neighbours(self, structure: str) -> list[Line]:
        """The lines at a structure."""
        return [line for line in self.town.drains.lines if structure in (line.from_id, line.to_id)]


def plant_network_faults(town: Town, spared: set[str]) -> None:
    """Plants F01 to F18; systems with a structure in `spared` are left alone."""
    planter = Planter(town, spared)
    for plant in (
        _basin_off_its_pipe, _small_gap, _drawn_backwards, _drawn_backwards_without_ids, _blind_connection, _loop, _split,
        _no_outfall, _outfall_not_mapped, _lone_basin, _duplicate_line, _zero_length, _two_parts, _abandoned, _sanitary,
        _unknown_id, _null_words, _owner_unknown,
    ):  # fmt: skip
        plant(planter)


def _is(kind: str, *, ends: int = 2, longer_ft: float = 60.0) -> Callable[[Line], bool]:
    """Whether a line is of the kind, has structures (no outfall) at so many ends, and is long enough."""

    def fits(line: Line) -> bool:
        built = [end for end in (line.from_id, line.to_id) if end[:2] in ("CB", "MH")]
        return line.kind == kind and len(built) >= ends and line.path.length > longer_ft

    return fits


def _basin_off_its_pipe(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    basin = planter.town.drains.structure(line.from_id)
    for each in planter.neighbours(basin.id):
        each.from_id, each.to_id = ("" if end == basin.id else end for end in (each.from_id, each.to_id))
    x, y = basin.xy
    ahead = line.path.interpolate(20.0)
    basin.xy = _moved((x, y), (ahead.y - y, x - ahead.x), 3.0)
    planter.town.plant(Planted(
        "F01", "fault", "a basin 3 ft off the end of its ditch, no id recorded", GPKG, "catch_basins", basin.id,
        "a join of 3 ft is used as doubtful and listed", case="join_doubtful"))  # fmt: skip


def _moved(xy: tuple[float, float], way: tuple[float, float], feet: float) -> tuple[float, float]:
    run = (way[0] ** 2 + way[1] ** 2) ** 0.5
    return rounded((xy[0] + way[0] / run * feet, xy[1] + way[1] / run * feet))


def _small_gap(planter: Planter) -> None:
    line = planter.pick(lambda each: each.kind == "Ditch" and each.to_id == "" and each.path.length > 60.0)
    line.path = substring(line.path, 0.0, line.path.length - 0.3)
    planter.town.plant(Planted(
        "F02", "fault", "a gap of 0.3 ft between two ditches", GPKG, "ditches", line.id,
        "joined, the gap logged", case="snapped"))  # fmt: skip


def _drawn_backwards(planter: Planter) -> None:
    line = planter.pick(_is("Pipe"))
    line.path = line.path.reverse()
    planter.town.plant(Planted(
        "F03", "fault", "a pipe drawn against its recorded ids and inverts", GPKG, "pipes", line.id,
        "flows as recorded: direction on the basis `recorded`", finding="NET-05", case="recorded"))  # fmt: skip


def _drawn_backwards_without_ids(planter: Planter) -> None:
    line = planter.pick(lambda each: _is("Pipe")(each) and each.inverts_ft is not None)
    assert line.inverts_ft is not None
    line.path = line.path.reverse()
    line.from_id = line.to_id = ""
    line.inverts_ft = (line.inverts_ft[1], round(max(line.inverts_ft[0], line.inverts_ft[1] + 0.4), 1))
    planter.town.plant(Planted(
        "F04", "fault", "a pipe drawn uphill, no ids, its inverts in the order of the drawing", GPKG, "pipes", line.id,
        "flows down its inverts: direction on the basis `inverts`", finding="NET-06", case="inverts"))  # fmt: skip


def _blind_connection(planter: Planter) -> None:
    main = planter.pick(_is("Pipe", longer_ft=90.0))
    middle = main.path.interpolate(0.45, normalized=True)
    start = beside(main.path, main.path.length * 0.45, 27.0)
    town = planter.town
    basin = town.drains.add_structure("Catch Basin", start, main.road, "TOWN")
    _set_level(basin, town.drains.structure(main.from_id))
    side = town.drains.add_line("Pipe", LineString([basin.xy, middle]), (basin.id, ""), "TOWN", main.road)
    town.kept_ids.add(side.id)
    town.plant(Planted(
        "F05", "fault", f"a side pipe that joins the middle of pipe {main.id} with no structure there", GPKG, "pipes", side.id,
        "the main is split where it is touched, the place noted `no structure recorded`", finding="NET-04",
        case="touch"))  # fmt: skip


def _set_level(basin: Structure, like: Structure) -> None:
    basin.rim_ft, basin.invert_ft = round(like.rim_ft + 0.2, 1), round(like.invert_ft + 0.6, 1)


def _loop(planter: Planter) -> None:
    town, is_pipe = planter.town, _is("Pipe")

    def following(line: Line) -> list[Line]:
        return [each for each in planter.neighbours(line.to_id) if each.from_id == line.to_id and is_pipe(each)]

    first = planter.pick(lambda each: is_pipe(each) and bool(following(each)))
    second = following(first)[0]
    ends = (second.path.coords[-1], first.path.coords[0])
    bend = beside(LineString(ends), LineString(ends).length / 2, 22.0)
    path = LineString([ends[0], bend, ends[1]])
    back = town.drains.add_line("Pipe", path, (second.to_id, first.from_id), "TOWN", first.road)
    town.kept_ids |= {first.id, second.id, back.id}
    town.plant(Planted(
        "F06", "fault", f"a loop: this pipe leads back from {second.to_id} to {first.from_id}", GPKG, "pipes", back.id,
        "a trace ends and visits each part once", case="loop"))  # fmt: skip


def _split(planter: Planter) -> None:
    town = planter.town
    below = {line.from_id: line for line in town.drains.lines if line.to_id.startswith("OF")}
    last = planter.pick(lambda each: each in below.values() and each.from_id[:2] == "CB", lines=5)
    segment, bank = nearest_bank(Point(last.path.coords[0]), town.land)
    first = town.drains.structure(last.from_id)
    straight = LineString([first.xy, bank])
    end = beside(straight, straight.length - 9.0, 34.0)
    outfall = town.drains.add_outfall("Outfall", end, "TOWN", last.road, segment, piped=False)
    path = LineString([first.xy, outfall.xy])
    relief = town.drains.add_line("Ditch", path, (first.id, outfall.id), "TOWN", last.road)
    town.kept_ids |= {last.id, relief.id}
    town.plant(Planted(
        "F07", "fault", f"a split: the basin drains to {last.to_id} and, by a relief ditch, to {outfall.id}", GPKG,
        "catch_basins", first.id, "a trace down returns both outfalls", finding="NET-08",
        case=f"{last.to_id} {outfall.id}"))  # fmt: skip


def _no_outfall(planter: Planter) -> None:
    """A short system of its own in a hollow that nothing leads out of."""
    town = planter.town
    road = town.land.road("Stony Hill Road")
    spots = [beside(road.line, at, -15.0) for at in (4300.0, 4520.0, 4740.0)]
    basins = [town.drains.add_structure("Catch Basin", xy, "Stony Hill Road", "TOWN") for xy in spots]
    for basin, level in zip(basins, (412.0, 409.0, 407.5), strict=True):
        basin.rim_ft, basin.invert_ft = level, level - 3.5
    for here, there in pairwise(basins):
        town.drains.add_line("Ditch", LineString([here.xy, there.xy]), (here.id, there.id), "TOWN", "Stony Hill Road")
    town.plant(Planted(
        "F08", "fault", "three basins and their ditches with no outfall anywhere", GPKG, "catch_basins", basins[-1].id,
        "a component with no mapped outfall", finding="NET-01 NET-02"))  # fmt: skip


def _outfall_not_mapped(planter: Planter) -> None:
    town = planter.town
    last = planter.pick(lambda each: each.to_id.startswith("OF") and each.from_id[:2] == "CB", lines=6)
    town.drains.outfalls = [each for each in town.drains.outfalls if each.id != last.to_id]
    last.to_id = ""
    town.plant(Planted(
        "F09", "fault", "a system that runs to a brook, where nobody has mapped its outfall", GPKG, LAYERS[last.kind], last.id,
        "a component with no mapped outfall", finding="NET-01 NET-02"))  # fmt: skip


def _lone_basin(planter: Planter) -> None:
    town = planter.town
    road = town.land.road("Sugarbush Lane")
    spot = beside(road.line, 700.0, 15.0)
    basin = town.drains.add_structure("Catch Basin", spot, "Sugarbush Lane", "TOWN")
    basin.rim_ft, basin.invert_ft = 395.0, 391.0
    town.plant(Planted(
        "F10", "fault", "a basin that no line reaches", GPKG, "catch_basins", basin.id,
        "drains to nothing that is mapped", finding="NET-01", case="alone"))  # fmt: skip


def _duplicate_line(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    twin = replace(line, id=f"{2001 + len(planter.town.drains.lines):010d}")
    planter.town.drains.lines.append(twin)
    planter.town.kept_ids.add(twin.id)
    planter.town.plant(Planted(
        "F11", "fault", f"the same ditch as {line.id} drawn a second time", GPKG, "ditches", twin.id,
        "both kept as parallel lines, nothing counted twice in a trace", finding="NET-09", case=line.id))  # fmt: skip


def _zero_length(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    spot = line.path.coords[0]
    speck = planter.town.drains.add_line("Ditch", LineString([spot, spot]), ("", ""), "TOWN", line.road)
    planter.town.plant(Planted(
        "F12", "fault", "a line without length", GPKG, "ditches", speck.id,
        "kept, warned of, conveys nothing", finding="NET-10", report="zero_length"))  # fmt: skip


def _two_parts(planter: Planter) -> None:
    line = planter.pick(_is("Ditch", longer_ft=150.0))
    half = line.path.length / 2.0
    line.path = MultiLineString([substring(line.path, 0.0, half), substring(line.path, half, line.path.length)])
    planter.town.plant(Planted(
        "F13", "fault", "one ditch in two parts", GPKG, "ditches", line.id,
        "exploded into two rows, .1 and .2", report="exploded"))  # fmt: skip


def _abandoned(planter: Planter) -> None:
    line = planter.pick(_is("Pipe"))
    ends = (line.path.coords[0], line.path.coords[-1])
    bend = beside(LineString(ends), line.path.length / 2.0, -9.0)
    path = LineString([ends[0], bend, ends[1]])
    old = planter.town.drains.add_line("Pipe", path, (line.from_id, line.to_id), "TOWN", line.road)
    old.status = "Abandoned"
    planter.town.kept_ids.add(old.id)
    planter.town.plant(Planted(
        "F14", "fault", f"an abandoned pipe beside the {line.id} that replaced it", GPKG, "pipes", old.id,
        "drawn, but no trace passes it", case="carries_no"))  # fmt: skip


def _sanitary(planter: Planter) -> None:
    """A sanitary sewer along Shore Drive, in the same layer as the storm lines."""
    town = planter.town
    road = town.land.road("Shore Drive")
    ids = []
    for start, end in ((250.0, 560.0), (560.0, 900.0), (900.0, 1300.0)):
        path = stretch_beside(road.line, start, end, -6.0)
        line = town.drains.add_line("Pipe", path, ("", ""), "TOWN", "Shore Drive")
        line.system = "sanitary"
        ids.append(line.id)
    town.plant(Planted(
        "F15", "fault", "a sanitary sewer among the storm lines", GPKG, "pipes", ids[1],
        "drawn thin, no MS4 asset, in no trace of the storm system", case="sanitary"))  # fmt: skip


def _unknown_id(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    line.to_id = "CB-999"
    planter.town.plant(Planted(
        "F16", "fault", "a recorded end, CB-999, that is nowhere on the map", GPKG, "ditches", line.id,
        "joined by place instead", finding="NET-21", case="unknown_id"))  # fmt: skip


def _null_words(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    line.owner, line.from_id = "<Null>", "<Null>"
    planter.town.plant(Planted(
        "F17", "fault", 'the words "<Null>" as owner and as recorded end', GPKG, "ditches", line.id,
        "read as not known: owner unknown, no id", case="owner_unknown"))  # fmt: skip


def _owner_unknown(planter: Planter) -> None:
    line = planter.pick(_is("Ditch"))
    basin = planter.town.drains.structure(line.from_id)
    basin.owner = "UK"
    planter.town.plant(Planted(
        "F18", "fault", 'a basin whose owner is "UK"', GPKG, "catch_basins", basin.id,
        "owner unknown, never taken as the Town's", case="owner_unknown"))  # fmt: skip
