"""Where lines end and no outfall is: what lies behind each such place, which fix pays most, and what it may be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from layers.joins.network import CERTAINTY, Network
from layers.joins.premises import premises_of_lots
from layers.joins.proposals import Adviser, Joined
from layers.joins.ranking import Bools, Ints, rank_ends

COLUMNS = (
    "node", "layer", "asset_id", "basins_behind", "lots_behind", "newly_connected", "newly_connected_lots", "proposal",
    "text", "to", "distance_ft",
)  # fmt: skip
SHARE_COLUMNS = ("what", "reaches", "certainty", "count", "share", "of")
NOT_IN_USE = frozenset({"abandoned", "proposed", "not_found"})
RANK_OF_LINK = {"confirmed": 0, "probable": 1, "possible": 2}
"""The rank in CERTAINTY of a link of that confidence."""


def dead_ends(town: Joined) -> pd.DataFrame:
    """The places where storm lines end and no outfall is, loops without a way out included; columns COLUMNS.

    One row a place, in the order in which to mend them: each is the one that newly connects most catch basins (then lots)
    that none before it connects. `basins_behind` and `lots_behind` count only what reaches no outfall as drawn, all of it
    for each place, so that the rows do not add up; `newly_connected` (basins) and `newly_connected_lots` do. `node` is
    where lines meet, `layer` and `asset_id` the structure there or a line that ends there, `to` is `layer:id`. A proposal
    is a guess to be looked at.
    """
    network = town.network
    size = len(network.nodes)
    tail, head = _storm_ends(network)
    lots, lot_node, lot_of = _lots_to_nodes(town)
    weights = np.zeros((size + len(lots), 2), np.int64)
    place = network.nodes["place"].to_numpy(np.int64)
    np.add.at(weights[:, 0], place[(network.nodes["layer"] == "catch_basins").to_numpy()], 1)
    weights[size:, 1] = 1
    ranked = rank_ends(
        np.concatenate([tail, size + lot_of]),
        np.concatenate([head, lot_node]),
        outfalls=_marked(place[(network.nodes["kind"] == "outfall").to_numpy()], len(weights)),
        on_line=_marked(np.concatenate([tail, head]), len(weights)),
        weights=weights,
    )
    nodes = _places_of(ranked.piece[:size], ranked.ends, network, tail, head)
    adviser = Adviser(town, ranked.served[:size])
    named = [_asset_at(network, node, adviser.lines_to) for node in nodes]
    proposals = adviser.propose(nodes)
    return pd.DataFrame(
        {
            "node": nodes,
            "layer": [layer for layer, _ in named],
            "asset_id": [asset for _, asset in named],
            "basins_behind": ranked.behind[:, 0],
            "lots_behind": ranked.behind[:, 1],
            "newly_connected": ranked.new[:, 0],
            "newly_connected_lots": ranked.new[:, 1],
            "proposal": [each.kind for each in proposals],
            "text": [each.text for each in proposals],
            "to": [each.to for each in proposals],
            "distance_ft": [each.distance_ft for each in proposals],
        },
        columns=list(COLUMNS),
    )


def _marked(numbers: Ints, size: int) -> Bools:
    marks = np.zeros(size, bool)
    marks[numbers] = True
    return marks


def _storm_ends(network: Network) -> tuple[Ints, Ints]:
    """Tail and head of every carrying storm edge."""
    storm = network.edges["carries"].to_numpy(bool) & ~network.is_sewer
    return network.edges["tail"].to_numpy(np.int64)[storm], network.edges["head"].to_numpy(np.int64)[storm]


def _lots_to_nodes(town: Joined) -> tuple[pd.Index[str], Ints, Ints]:
    """Every premises, and pairs (node, number of a premises) of where each drains to."""
    links = town.premises_links[["premises_key", "layer", "asset_id"]].astype(object)
    met = links.merge(link_nodes(town), on=["layer", "asset_id"])
    lots = _texts(met["premises_key"].unique())
    return lots, met["node"].to_numpy(np.int64), np.asarray(lots.get_indexer(_texts(met["premises_key"])), np.int64)


def link_nodes(town: Joined) -> pd.DataFrame:
    """Where what drains to an asset enters the network: columns layer, asset_id, node (a structure's place, a line's end).

    A private drain enters where the asset stands that its record names.
    """
    network = town.network
    structures = network.nodes[network.nodes["asset_id"] != ""][["layer", "asset_id", "place"]]
    lines = network.edges[["layer", "asset_id", "head"]]
    tables = [structures.rename(columns={"place": "node"}), lines.rename(columns={"head": "node"})]
    kinds = {"layer": object, "asset_id": object, "node": np.int64}
    assets = pd.concat([pd.DataFrame(each).astype(kinds) for each in tables], ignore_index=True)
    drains = town.layers.get("drains")
    if drains is None or not len(drains):
        return assets
    named = pd.DataFrame({"asset_id": drains["to_id"].to_numpy(object), "drain": drains.index.to_numpy(object)})
    entered = named.merge(assets[["asset_id", "node"]], on="asset_id")
    entered = entered.drop(columns="asset_id").rename(columns={"drain": "asset_id"}).assign(layer="drains")
    return pd.concat([assets, entered], ignore_index=True)


def _places_of(piece: Ints, ends: Ints, network: Network, tail: Ints, head: Ints) -> list[int]:
    """For each dead end the node to go to: one with a structure where there is one, always the same."""
    lined = np.unique(np.concatenate([tail, head]))
    bare = (network.nodes["asset_id"] == "").to_numpy()[lined]
    order = np.lexsort((lined, bare, piece[lined]))
    found, first = np.unique(piece[lined][order], return_index=True)
    return [int(each) for each in lined[order][first][np.searchsorted(found, ends)]]


def _asset_at(network: Network, node: int, lines_to: Mapping[int, list[int]]) -> tuple[str, str]:
    """The structure at a node, else the first by id of the lines that end there."""
    here = network.nodes.iloc[node]
    if here["asset_id"]:
        return str(here["layer"]), str(here["asset_id"])
    table = network.edges
    return min((str(table["layer"].iat[edge]), str(table["asset_id"].iat[edge])) for edge in lines_to[node])


def reach_shares(town: Joined) -> pd.DataFrame:
    """Which share of the catch basins in use and of the premises reaches an outfall, and a water; columns SHARE_COLUMNS.

    One row for each `what` (`catch_basins`, `premises`), `reaches` (`outfall`, `water`) and certainty of the surest way, its
    links to premises and waters counted; `of` is how many there are. What reaches none is the rest.
    """
    network = town.network
    outfalls = np.flatnonzero((network.nodes["kind"] == "outfall").to_numpy())
    basins, lots = _basins_to_nodes(town), _premises_to_nodes(town)
    rows = []
    for reaches, floors in (("outfall", np.zeros(len(outfalls), np.int64)), ("water", _water_ranks(town, outfalls))):
        ranks = _surest(network, network.nodes["place"].to_numpy(np.int64)[outfalls], floors)
        for what, ways in (("catch_basins", basins), ("premises", lots)):
            best = ways.best(ranks)
            for rank, word in enumerate(CERTAINTY):
                reached = int((best == rank).sum())
                rows.append((what, reaches, word, reached, reached / len(best) if len(best) else np.nan, len(best)))
    return pd.DataFrame(rows, columns=list(SHARE_COLUMNS))


@dataclass(frozen=True)
class _Ways:
    """Into the network: how many there are to lead in, and for each link which of them, the node, the rank of the link."""

    count: int
    of: Ints
    node: Ints
    floor: Ints

    def best(self, ranks: Ints) -> Ints:
        """For each that leads in the rank of its surest way on, where `ranks` are those of the nodes."""
        best = np.full(self.count, len(CERTAINTY), np.int64)
        np.minimum.at(best, self.of, np.maximum(self.floor, ranks[self.node]))
        return best


def _basins_to_nodes(town: Joined) -> _Ways:
    basins = town.layers.get("catch_basins")
    used = _texts([] if basins is None else basins.index[~basins["status"].isin(NOT_IN_USE)])
    nodes = town.network.nodes[town.network.nodes["layer"] == "catch_basins"]
    of = np.asarray(used.get_indexer(_texts(nodes["asset_id"])), np.int64)
    place = nodes["place"].to_numpy(np.int64)
    return _Ways(len(used), of[of >= 0], place[of >= 0], np.zeros(int((of >= 0).sum()), np.int64))


def _premises_to_nodes(town: Joined) -> _Ways:
    parcels = town.layers.get("parcels")
    keys = _texts([] if parcels is None else premises_of_lots(parcels).unique())
    links = town.premises_links[["premises_key", "layer", "asset_id", "confidence"]].astype(object)
    met = links.merge(link_nodes(town), on=["layer", "asset_id"])
    of = np.asarray(keys.get_indexer(_texts(met["premises_key"])), np.int64)
    known = of >= 0
    rank = np.asarray(met["confidence"].map(RANK_OF_LINK), np.int64)
    return _Ways(len(keys), of[known], met["node"].to_numpy(np.int64)[known], rank[known])


def _texts(values: Iterable[object]) -> pd.Index[str]:
    return pd.Index(list(values), dtype="str")


def _water_ranks(town: Joined, outfalls: Ints) -> Ints:
    """For each outfall's node the rank of its surest link to a water; beyond CERTAINTY where it has none."""
    links = town.water_links[town.water_links["chosen"].astype(bool)]
    best = links["confidence"].map(RANK_OF_LINK).groupby(links["outfall_id"].astype("str")).min()
    ids = town.network.nodes["asset_id"].iloc[outfalls].astype("str")
    return np.asarray(ids.map(best).fillna(len(CERTAINTY)), np.int64)


def _surest(network: Network, starts: Ints, floors: Ints) -> Ints:
    """For each node the rank of the surest way to one of the starts, none surer than the start's own floor."""
    best = np.full(len(network.nodes), len(CERTAINTY), np.int64)
    for floor in range(len(CERTAINTY)):
        for node, rank in network.reach(starts[floors == floor].tolist(), "up")[0].items():
            best[node] = min(best[node], max(rank, floor))
    return best
