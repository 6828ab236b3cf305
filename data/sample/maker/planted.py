"""What was planted in the sample town on purpose, and what the product is to say about each."""

from __future__ import annotations

from dataclasses import dataclass, field

from maker.drainage import Drainage
from maker.land import Land
from maker.roll import Parcel


@dataclass(frozen=True)
class Planted:
    """One planted thing: `finding` and `report` are the rule code and the import report's code that must name it.

    A control (`kind`) is something that looks like a fault and is none: `finding` then is the rule that must stay silent.
    """

    code: str
    kind: str  # "fault" | "suspected" | "control"
    what: str
    file: str
    layer: str
    id: str
    says: str
    finding: str = ""
    report: str = ""
    case: str = ""


@dataclass(frozen=True)
class DrainRecord:
    """One row of the drain records."""

    id: str
    premises: str
    connected_to: str
    carries: str
    kind: str = ""
    reference: str = ""
    approved_by: str = ""
    approved_on: str = ""
    found_on: str = ""
    searched: str = ""
    xy: tuple[float, float] | None = None


@dataclass
class Town:
    """The sample town while it is made."""

    land: Land
    parcels: list[Parcel]
    drains: Drainage
    records: list[DrainRecord] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    kept_ids: set[str] = field(default_factory=set)
    """Lines whose recorded ids and inverts a planted fault depends on."""

    def plant(self, planted: Planted) -> None:
        """Notes what was planted."""
        self.planted.append(planted)

    def parcel_of(self, business: str) -> Parcel:
        """The lot of a business."""
        return next(each for each in self.parcels if each.business and each.business.name == business)
