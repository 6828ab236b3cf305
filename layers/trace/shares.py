"""To which outfalls a premises drains and in which shares: by area where sewersheds are known, else by what it drains to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import shapely

from layers.joins.network import CERTAINTY
from layers.town import Town
from layers.trace.result import Share

Reached = Mapping[str, str]
"""Outfalls and how surely each is reached."""

BY_AREA = ("surveyed", "terrain")
"""Bases of sewersheds that say more of a lot than the links from which those of basis parcels are made, the better first."""


def share_out(town: Town, key: str, reached: Sequence[Reached]) -> tuple[Share, ...]:
    """The shares of a premises by outfall, the largest first, together 1; an empty outfall is water that reaches none.

    By area: the part of the lot in each surveyed or, failing that, terrain sewershed. Else by links: every structure or
    line that the premises drains to counts alike, and where one reaches several outfalls these get equal parts of it.
    `reached` says for each of these which outfalls it reaches.
    """
    return _by_area(town, key, reached) or _by_links(reached)


def _by_links(reached: Sequence[Reached]) -> tuple[Share, ...]:
    basis = (
        f"of the {len(reached)} structures or lines that it drains to, each counted alike; where one reaches several "
        "outfalls, these in equal parts"
    )
    part: dict[str, float] = {}
    for outfalls in reached:
        for outfall in outfalls or ("",):
            part[outfall] = part.get(outfall, 0.0) + 1 / max(1, len(outfalls)) / len(reached)
    return _ordered(part, basis, reached)


def _by_area(town: Town, key: str, reached: Sequence[Reached]) -> tuple[Share, ...]:
    sheds, lot = town.layer("sewersheds"), town.layer("parcels").geometry.get(key)
    if lot is None or not len(sheds):
        return ()
    near = sheds.iloc[sheds.sindex.query(lot, predicate="intersects")]
    for basis in BY_AREA:
        mine = near[near["basis"] == basis]
        shares = shapely.area(shapely.intersection(mine.geometry.to_numpy(), lot)) / lot.area
        part: dict[str, float] = {}
        for outfall, share in zip(mine["outfall_id"], shares.tolist(), strict=True):
            part[str(outfall)] = part.get(str(outfall), 0.0) + share
        if sum(part.values()) > 0:
            rest = max(0.0, 1 - sum(part.values()))
            part[""] = part.get("", 0.0) + rest
            return _ordered(part, f"of the lot's area, by the {basis} sewersheds", reached)
    return ()


def _ordered(part: Mapping[str, float], basis: str, reached: Sequence[Reached]) -> tuple[Share, ...]:
    """The shares with the surest certainty of each outfall; unknown where only the sewersheds say that it is reached."""
    surest: dict[str, str] = {}
    for outfalls in reached:
        for outfall, certainty in outfalls.items():
            surest[outfall] = min(certainty, surest.get(outfall, certainty), key=CERTAINTY.index)
    shares = [
        Share(outfall, round(share, 4), surest.get(outfall, "unknown"), basis)
        for outfall, share in part.items()
        if round(share, 4) > 0
    ]
    return tuple(sorted(shares, key=lambda each: (-each.share, each.outfall)))
