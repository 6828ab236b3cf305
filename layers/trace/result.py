"""What a trace found: assets, premises, outfalls, waters, places to block and doubts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from layers.joins.network import Direction


class TraceAsset(NamedTuple):
    """An asset on the way, as sure as the worst link on the surest way to it; length of the part that was followed."""

    layer: str
    id: str
    certainty: str
    length_ft: float


class TracePremises(NamedTuple):
    """A premises that drains to an asset on the way."""

    key: str
    method: str
    distance_ft: float


class Doubt(NamedTuple):
    """Something on the way that the trace could not be sure about, and where."""

    code: str
    layer: str
    id: str
    text: str


class Block(NamedTuple):
    """A structure at which the flow can be stopped, in the order in which water comes to it.

    `distance_ft`: along the shortest way from the start; `via`: the lines (`layer:id`) from the structure before, `after`,
    to this one; `branch`: a number that changes where the ways part.
    """

    layer: str
    id: str
    distance_ft: float
    via: tuple[str, ...]
    after: str
    branch: int


class Share(NamedTuple):
    """The part of a premises that drains to an outfall (empty: to none that is known), and what that rests on."""

    outfall: str
    share: float
    certainty: str
    basis: str


class Taken(NamedTuple):
    """What was taken for the place that was asked for, how far from it it lies, and both in words."""

    asked: str
    subject: str
    distance_ft: float
    text: str


@dataclass(frozen=True)
class Trace:
    """What a trace found: every asset once, all outfalls and waters at splits, and the doubts.

    Down alone: `block`, the structures in the order of the flow, and `shares` where a premises was asked for. Up alone:
    `premises`. `taken` where a place on the map was asked for.
    """

    subject: str
    direction: Direction
    assets: tuple[TraceAsset, ...]
    premises: tuple[TracePremises, ...]
    outfalls: tuple[str, ...]
    waters: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    block: tuple[Block, ...] = ()
    shares: tuple[Share, ...] = ()
    taken: Taken | None = None

    @property
    def asked(self) -> str:
        """What was asked for: a place on the map where it was one, else the subject."""
        return self.taken.asked if self.taken else self.subject

    def to_json(self) -> dict[str, Any]:
        """The object that `trace --json` prints."""
        return {
            "subject": self.subject,
            "direction": self.direction,
            "taken": self.taken._asdict() if self.taken else None,
            "assets": [each._asdict() for each in self.assets],
            "premises": [each._asdict() for each in self.premises],
            "outfalls": list(self.outfalls),
            "waters": list(self.waters),
            "shares": [each._asdict() for each in self.shares],
            "block": [{**each._asdict(), "via": list(each.via)} for each in self.block],
            "doubts": [each._asdict() for each in self.doubts],
        }
