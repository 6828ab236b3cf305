"""Preliminary sewersheds from premises: the lots that drain to each outfall, in which shares, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import geopandas as gpd
import numpy as np
import pandas as pd
import shapely
from pyproj import CRS

from layers.conform import blank
from layers.crs import feet_per_unit
from layers.joins.network import CERTAINTY, Network
from layers.joins.noding import LINES, STRUCTURES
from layers.joins.reaching import Reaching
from layers.schema import dtype, schema

LAYER = "sewersheds"
SHARES = ("premises_key", "outfall_id", "share", "basis", "certainty")
NESTED = ("outfall_id", "below_outfall_id")
ONLY_WAY, EQUAL_PARTS = "only way", "equal parts"
MADE = "made from "
"""How the source of a sewershed begins that this program made, so that one which somebody surveyed or sent is told apart."""
PREFIX = {"parcels": "SS-", "terrain": "ST-"}
"""How ids of sewersheds begin, by basis: the outfall's id follows, so that no two can be the same."""
SQUARE_FEET_PER_ACRE = 43_560.0
ROAD_FT = 80.0
"""The width of a road with its strips: sewersheds of lots leave it out and those of terrain do not, which is no difference."""
LAND_USE = {
    "1": "agriculture",
    "2": "residential",
    "3": "vacant",
    "4": "commercial",
    "5": "recreation",
    "6": "community services",
    "7": "industrial",
    "8": "public services",
    "9": "wild, forested, conservation",
}
"""By the first digit of the property class (NYS ORPTS property type classification codes, divisions 100 to 900)."""


class Drained(Protocol):
    """What sewersheds are made from; a Town is one."""

    @property
    def premises_links(self) -> pd.DataFrame:
        """Links premises → asset, as `link_premises` makes them."""
        ...

    @property
    def network(self) -> Network:
        """The drainage network."""
        ...

    @property
    def crs(self) -> CRS:
        """The projected CRS of every layer."""
        ...

    def layer(self, name: str) -> gpd.GeoDataFrame:
        """The layer, empty where there is none."""
        ...


@dataclass(frozen=True)
class Sewersheds:
    """The sewersheds of one basis.

    `layer` conforms to the schema `sewersheds`: what drains to the outfall *before any other outfall*. `shares` has a row
    for each premises and outfall that it drains to (SHARES; the shares of a premises add up to 1, the outfall is empty
    for the part that reaches none as drawn). `nested` has a row where water runs on from one outfall to another (NESTED).
    `doubts` are sentences about what could not be told.
    """

    layer: gpd.GeoDataFrame
    shares: pd.DataFrame
    nested: pd.DataFrame
    doubts: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What the command prints: the sewersheds with the lots in each, the nested outfalls, and the doubts."""
        lots = self.shares.groupby("outfall_id")["premises_key"].nunique()
        said = ["outfall_id", "basis", "acres", "land_use", "cut"]
        rows = zip(self.layer.index, self.layer[said].to_dict("records"), strict=True)
        return {
            "sewersheds": [{"id": key, **row, "lots": int(lots.get(row["outfall_id"], 0))} for key, row in rows],
            "lots_without_outfall": int(lots.get("", 0)),
            "nested": self.nested.to_dict("records"),
            "doubts": list(self.doubts),
        }

    def outfalls_above(self, outfall: str) -> list[str]:
        """The outfall and all from which water runs on to it: their sewersheds together are its whole one."""
        above = self.nested.groupby("below_outfall_id")["outfall_id"].agg(list).to_dict()
        found, ahead = {outfall: None}, [outfall]
        while ahead:
            new = [each for each in above.get(ahead.pop(), ()) if each not in found]
            found |= dict.fromkeys(new)
            ahead += new
        return list(found)


def make_sewersheds(town: Drained) -> Sewersheds:
    """The preliminary sewershed of each outfall from the lots that drain to its assets, dissolved; ids `SS-<outfall>`.

    A lot whose water parts is in the sewershed of every outfall that it comes to. Storm lines alone lead to an outfall
    (§ 194-3). Lots are drawn to their lot line: the road in front of them, which is part of the premises, is not.
    """
    reaching = Reaching(town.network)
    shares = share_premises(town, reaching)
    lots = town.layer("parcels")
    mine = shares[(shares["outfall_id"] != "") & shares["premises_key"].isin(lots.index[lots.geometry.notna()])]
    shapes = lots.geometry.loc[mine["premises_key"]].to_numpy()
    rows = [(str(outfall), shapely.union_all(shapes[at])) for outfall, at in mine.groupby("outfall_id").indices.items()]
    layer = as_layer(rows, basis="parcels", source=f"{MADE}premises and network", crs=town.crs)
    main = main_land_use(mine["outfall_id"], lots.loc[mine["premises_key"], "property_class"], shapely.area(shapes))
    layer["land_use"] = pd.Series([main.get(each, "") for each in layer["outfall_id"]], index=layer.index, dtype="str")
    return Sewersheds(layer, shares, nest(reaching))


def nest(reaching: Reaching) -> pd.DataFrame:
    """Columns NESTED: a row for each outfall and each one that its water meets next."""
    pairs = [(outfall, below) for outfall, names in sorted(reaching.below.items()) for below in sorted(names)]
    return pd.DataFrame(pairs, columns=list(NESTED), dtype="str")


def share_premises(town: Drained, reaching: Reaching) -> pd.DataFrame:
    """Which part of each premises drains to which outfall, columns SHARES.

    Every structure or line that a premises drains to takes an equal part, and where that splits every outfall an equal
    part of it: nobody has measured it, and `basis` says so. `certainty` is that of the surest way to the outfall.
    """
    links = _links_to_network(town)
    parts = pd.DataFrame(
        [
            (layer, asset, outfall, 1 / max(len(met), 1), rank)
            for layer, asset in links[["layer", "asset_id"]].drop_duplicates().itertuples(index=False)
            for met in [reaching.outfalls(layer, asset)]
            for outfall, rank in (met or {"": 0}).items()
        ],
        columns=["layer", "asset_id", "outfall_id", "part", "rank"],
    )
    count = links.groupby("premises_key")["asset_id"].transform("size")
    rows = links.assign(weight=1 / count).merge(parts, on=["layer", "asset_id"])
    rows["share"] = rows["weight"] * rows["part"]
    found = rows.groupby(["premises_key", "outfall_id"], as_index=False).agg({"share": "sum", "rank": "min"})
    alone = found.groupby("premises_key")["outfall_id"].transform("size") == 1
    found["basis"] = np.where(alone, ONLY_WAY, EQUAL_PARTS)
    found["certainty"] = [CERTAINTY[rank] for rank in found["rank"]]
    texts = {name: "str" for name in SHARES if name != "share"}
    return found[list(SHARES)].astype({**texts, "share": "float64"})


def _links_to_network(town: Drained) -> pd.DataFrame:
    """Premises and the asset of the network that each drains to, once; a drain on record leads to what it names."""
    links = town.premises_links[["premises_key", "layer", "asset_id"]].astype("str")
    by_drain = links[links["layer"] == "drains"]
    to_id = town.layer("drains")["to_id"].to_dict()
    named = by_drain.assign(asset_id=[to_id.get(each, "") for each in by_drain["asset_id"]])
    led = [named[named["asset_id"].isin(town.layer(name).index)].assign(layer=name) for name in (*STRUCTURES, *LINES)]
    nowhere = by_drain.drop(index=pd.concat(led).index)
    return pd.concat([links[links["layer"] != "drains"], *led, nowhere], ignore_index=True).drop_duplicates()


def as_layer(
    rows: Iterable[tuple[str, shapely.Geometry]],
    *,
    basis: str,
    source: str,
    crs: CRS,
    cut: Mapping[str, bool] | None = None,
) -> gpd.GeoDataFrame:
    """The layer `sewersheds` from outfall and area, sorted by outfall; areas in `crs`, `acres` from them.

    `cut` says for each outfall whether the area is cut off by the edge of what is known; without it that is unknown.
    """
    known = schema(LAYER)
    rows = sorted(((outfall, _polygons(shape)) for outfall, shape in rows), key=lambda each: each[0])
    outfalls, shapes = [outfall for outfall, _ in rows], [shape for _, shape in rows]
    area = shapely.area(np.array(shapes, object)) * feet_per_unit(crs) ** 2 / SQUARE_FEET_PER_ACRE
    given = {
        "outfall_id": outfalls,
        "basis": [basis] * len(rows),
        "preliminary": ["yes"] * len(rows),
        "source": [source] * len(rows),
        "acres": np.round(area, 2),
        "cut": [("yes" if cut[outfall] else "no") if cut is not None else "unknown" for outfall in outfalls],
    }
    index = pd.Index([PREFIX[basis] + outfall for outfall in outfalls], dtype="str", name=known.id)
    columns = {
        each.name: pd.Series(given.get(each.name, [blank(each)] * len(rows)), index=index, dtype=dtype(each.type))
        for each in known.fields
    }
    return gpd.GeoDataFrame(columns, geometry=gpd.GeoSeries(shapes, index=index, crs=crs), crs=crs)


def replace_made(kept: gpd.GeoDataFrame, made: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """The layer with sewersheds of `made` in the place of those that were made before on the same basis.

    Sewersheds that somebody surveyed or sent stay. One of theirs that has the id of a new one keeps it; the new one is
    called after its outfall with as many primes as it takes.
    """
    stay = kept[~(kept["basis"].isin(set(made["basis"])) & kept["source"].str.startswith(MADE))]
    taken, names = set(stay.index), []
    for name in made.index:
        while name in taken:
            name += "'"
        taken.add(name)
        names.append(name)
    renamed = made.set_axis(pd.Index(names, dtype="str", name=made.index.name))
    return gpd.GeoDataFrame(pd.concat([stay, renamed]), crs=made.crs) if len(stay) else renamed


def find_differences(sewersheds: gpd.GeoDataFrame) -> gpd.GeoDataFrame:
    """Where the sewersheds of one outfall from premises and from terrain differ, by more than a road or a lot line.

    A row for each of the two that holds an area of its own: index = the id of the sewershed in which it lies, outfall_id,
    basis (of that one), acres, geometry. An outfall that has a sewershed on one basis alone has nothing to differ from.
    """
    feet = feet_per_unit(sewersheds.crs)
    reach = ROAD_FT / 2 / feet
    comparable = sewersheds.geometry.notna() & sewersheds["basis"].isin(PREFIX) & (sewersheds["outfall_id"] != "")
    located = sewersheds[comparable]
    shapes = located.geometry.to_numpy()
    at = located.groupby(["outfall_id", "basis"]).indices
    rows = []
    for (outfall, basis), mine in at.items():
        others = [at[outfall, each] for each in PREFIX if each != basis and (outfall, each) in at]
        if not others:
            continue
        apart = shapely.difference(shapely.union_all(shapes[mine]), shapely.union_all(shapes[others[0]]))
        wide = _polygons(shapely.buffer(shapely.buffer(apart, -reach), reach, join_style="mitre"))
        if not wide.is_empty:
            acres = round(wide.area * feet**2 / SQUARE_FEET_PER_ACRE, 2)
            rows.append((located.index[mine[0]], outfall, basis, acres, wide))
    table = pd.DataFrame(rows, columns=["asset_id", "outfall_id", "basis", "acres", "geometry"]).set_index("asset_id")
    return gpd.GeoDataFrame(table, geometry="geometry", crs=sewersheds.crs)


def _polygons(shape: shapely.Geometry) -> shapely.MultiPolygon:
    """The polygons of an area, without the lines and points that a union may leave."""
    parts = [each for each in shapely.get_parts(shape) if each.geom_type == "Polygon"]
    return shapely.MultiPolygon(parts)


def main_land_use(outfalls: pd.Series, classes: pd.Series, areas: np.typing.NDArray[np.float64]) -> dict[str, str]:
    """For each outfall the land use with the largest area of lots; lots without a class that is known do not count."""
    use = classes.astype("str").str.strip()
    use = use.where(use.str.fullmatch(r"\d{3}"), "").str[:1].map(LAND_USE)
    table = pd.DataFrame({"outfall": outfalls.to_numpy(), "use": use.to_numpy(), "area": areas}).dropna()
    total = table.groupby(["outfall", "use"])["area"].sum().reset_index().sort_values(["area", "use"])
    return dict(zip(total["outfall"], total["use"], strict=True))  # the largest comes last
