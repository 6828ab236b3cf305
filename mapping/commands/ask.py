"""The commands check, trace, chain: what is suspected, where water goes, and how we know."""

from __future__ import annotations

import getpass
from argparse import Namespace

from layers.trace import trace
from mapping import pipeline
from mapping.chain import chain
from mapping.commands.say import Answer
from mapping.freeze import compare, find_frozen


def run_check(asked: Namespace) -> Answer:
    """Findings of all rules or some."""
    town = pipeline.open_town(asked.town)
    found = pipeline.check_town(town, asked.on, rules=asked.rule).to_json()
    lines = [f"{each['id']}  {each['title']}  ({each['confidence']})" for each in found["findings"]]
    lines += [f"{rule}: {count} looked at" for rule, count in found["looked_at"].items()]
    lines += [f"{each['rule']} not run: needs {each['needs']}" for each in found["not_run"]]
    return found, "\n".join(lines)


def run_trace(asked: Namespace) -> Answer:
    """Traces up or down, keeps the trace, or makes a kept one again, as is asked for."""
    town = pipeline.open_town(asked.town)
    if asked.again is not None:
        differences = compare(find_frozen(town, asked.again), town)
        return differences.to_json(), "\n".join(differences.sentences())
    found = trace(town, asked.subject, direction=asked.direction)
    answer = found.to_json()
    if asked.freeze:
        answer |= pipeline.freeze_trace(town, found, on=asked.on, by=asked.by or getpass.getuser())
    lines = [found.taken.text] if found.taken else []
    lines += [f"{each.layer}:{each.id}  {each.certainty}  {each.length_ft:g} ft" for each in found.assets]
    lines += [f"premises:{each.key}  {each.method}  {each.distance_ft:g} ft" for each in found.premises]
    lines += [f"outfall {each}" for each in found.outfalls] + [f"water {each}" for each in found.waters]
    lines += [f"{each.share:.0%} to {each.outfall or 'no outfall'}  ({each.basis})" for each in found.shares]
    lines += [f"block at {each.layer}:{each.id}, {each.distance_ft:,.0f} ft on" for each in found.block]
    lines += [f"doubt {each.code}: {each.layer}:{each.id} {each.text}" for each in found.doubts]
    return answer, "\n".join(lines)


def run_chain(asked: Namespace) -> Answer:
    """The evidence chain of a premises or asset."""
    town = pipeline.open_town(asked.town)
    found = chain(town, pipeline.open_law(town.settings), asked.subject, asked.on).to_json()
    lines = [
        f"{each['from']} → {each['to']}  {each['kind']}  {each['method']}  {each['confidence']}"
        for each in found["links"]
    ]
    lines += [f"reaches {each['outfall']} → {each['water']} {each['conditions']}" for each in found["reaches"]]
    return found, "\n".join(lines) or "no link is known"
