"""The evidence behind what is said of a thing: every link down, every asset and lot above, each a row that opens a thing."""

from __future__ import annotations

from datetime import date
from typing import Any, NamedTuple

from layers.schema import schema
from layers.town import Town
from layers.trace import IN_NETWORK, premises_key, trace
from mapping.chain import chain
from mapping.law import Law
from mapping.outputs.places import layer_of, name_of, shown
from mapping.outputs.ways import say_distance


class Evidence(NamedTuple):
    """One row of a table, and the subject (`layer:id`) that it opens."""

    subject: str
    cells: dict[str, Any]


def link_rows(town: Town, law: Law, subject: str, on: date) -> list[Evidence]:
    """Every link of the chain from a thing down: from, to, how it is known, how far, how sure, and on whose word."""
    layer, key = layer_of(subject)
    asked = f"premises:{premises_key(town, key)}" if layer == "parcels" else subject
    return [
        Evidence(
            each.from_ if each.to == subject else each.to,
            {
                "From": place_words(town, each.from_),
                "To": f"{each.kind} {place_words(town, each.to)}",
                "Known by": each.method,
                "Distance": say_distance(each.distance_ft),
                "How sure": each.confidence,
                "Source": shown(each.source),
            },
        )
        for each in chain(town, law, asked, on).links
    ]


def above_rows(town: Town, subject: str) -> tuple[list[Evidence], list[Evidence]]:
    """What drains to a thing of the network: assets with their certainty, and lots with method and distance."""
    if layer_of(subject)[0] not in IN_NETWORK:
        return [], []
    up = trace(town, subject, direction="up")
    assets = [
        Evidence(
            f"{each.layer}:{each.id}",
            {
                "Asset": place_words(town, f"{each.layer}:{each.id}"),
                "Certainty": each.certainty,
                "Length": say_distance(each.length_ft) if each.length_ft else "",
            },
        )
        for each in up.assets
        if f"{each.layer}:{each.id}" != subject
    ]
    lots = [
        Evidence(
            f"premises:{each.key}",
            {
                "Lot": name_of(town, f"premises:{each.key}"),
                "Known by": each.method,
                "Distance": say_distance(each.distance_ft),
            },
        )
        for each in up.premises
    ]
    return assets, lots


def place_words(town: Town, subject: str) -> str:
    """`outfalls:OF-014` as it is read: `outfall OF-014`; lots and waters by their names."""
    layer, key = layer_of(subject)
    return f"{schema(layer).one} {name_of(town, subject) if layer in ('parcels', 'waters') else shown(key)}"
