"""The layers as a page to read: fields and names, the crosswalk, the tolerances, and what an import reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields

from layers.ingest.codes import REFUSED, REJECTED, REPAIRED, WARNINGS
from layers.schema import LAYERS, Field, Schema, schema
from layers.tolerances import Tolerances

HEAD = """# The layers

This page is made from `data/schemas`, `layers/tolerances.py` and `layers/ingest/codes.py` by `python -m tests.make_docs`;
a test holds it current.

A file comes in with `python -m mapping import TOWN_DIR FILE --as LAYER`, where its columns have our names or names seen in
towns' files, or with `--crosswalk FILE.toml`, where they have others. `--dry-run` says what would happen and changes nothing.
Ids and codes are text, days are plain days in New York, heights of points go to `z_drawn`, drawings are two-dimensional and
in the town's own coordinate system. A value that cannot be read is left blank and listed; a row whose place is not believed
is kept and counted as not located. A file that does not say where on earth it is comes in only on a named person's word.

Kinds of file: shapefile (with all its parts, or zipped), GeoPackage, file geodatabase (or zipped), GeoJSON, Esri JSON,
TopoJSON, FlatGeobuf, dBASE, CSV and other divided text, Excel workbook (.xlsx). In a table the places are columns
called longitude and latitude (degrees) or x and y, or a column of WKT; other columns are named in the crosswalk.
"""
CROSSWALK = """## A crosswalk

One file may feed several layers. Every fault of a crosswalk is told at once, and nothing is imported until there is none.

```toml
[source]
layer = "STM_Structure_pt"            # where the file holds several
crs = "EPSG:2289"                     # only where the file does not say; then also who vouches for it:
crs_by = "J. Doe, Highway Department"
encoding = "cp1252"                   # only where the file does not say
x = "EASTING"                         # in a table: the columns of the place (or wkt = "COLUMN")
y = "NORTHING"

[[target]]
layer = "catch_basins"
where = { StructureType = ["Catchbasin", "Inlet", ""] }   # equal as text; a missing value is ""
id = "CB-{OBJECTID}"                  # a column, or a template of columns
fields = { owner = "Owner", rim_ft = "RIM" }              # ours = theirs
values.owner = { "UK" = "Town", "*" = "unknown" }         # "*" = every other value; without it the value is listed
set = { system = "storm" }            # the same for every row
```

`source`, `source_id` and `z_drawn` are filled by the import itself. A row without an id gets one from the file's name and its
number there. Rows of a source that is imported again take the place of their former selves; rows that the file no longer has
are counted as missing and stay. Features that no target takes are in no layer, and are counted.
"""
FIELDS = """Names in *seen as* are read without a crosswalk, in any letter case, with a joined table's name in front, or cut
to a shapefile's ten letters; our own names always are. Fields marked *staff* hold personal data and never leave the office.
"""
REPORT = """## What an import reports

`read` counts the features that the target's `where` selects; `read` = `kept` + the sum of `rejected`. `exploded` counts the
lines of several parts (`parents`) and the rows they became (`children`, ids `parent.1`, `parent.2` …). `fields` says which
column became which field, which columns nobody reads and which fields nobody fills; `values.unknown` lists, by field, the
values that are not known and how often they came. `changes` compares with the layer before. `source` says what read the file,
its SHA-256, its encoding, the coordinate system that it says, the one that was used and on whose word, and how PROJ came from
there to the town's, with the accuracy.
"""


def document() -> str:
    """The page as Markdown; `docs/layers.md` is it."""
    blocks = [
        HEAD,
        CROSSWALK,
        REPORT,
        *_codes("### Rejected: rows that are not kept", REJECTED),
        *_codes("### Repaired: rows that are kept, and what was done to them", REPAIRED),
        *_codes("### Warnings: what a person should look at", WARNINGS),
        *_codes("### Refused: nothing is imported and nothing changed", REFUSED),
        "## Tolerances\n",
        "A town may set others in `[tolerances]` of its `town.toml`, within the bounds.\n",
        _lines(_tolerances()),
        "## Fields of every layer\n",
        FIELDS,
        *(_layer(schema(name)) for name in LAYERS),
    ]
    return "\n".join(blocks)


def _codes(title: str, codes: Mapping[str, str]) -> Iterator[str]:
    yield f"{title}\n"
    yield _lines(
        [_row("code", "what it says"), _row("---", "---"), *(_row(f"`{each}`", codes[each]) for each in sorted(codes))]
    )


def _tolerances() -> Iterator[str]:
    yield _row("name", "value", "from", "to", "unit", "reason")
    yield _row(*["---"] * 6)
    for each in fields(Tolerances):
        known = each.metadata
        numbers = (f"{number:g}" for number in (Tolerances.__dict__[each.name], known["low"], known["high"]))
        yield _row(f"`{each.name}`", *numbers, known["unit"], known["reason"])


def _layer(known: Schema) -> str:
    """One layer: what it is, its id, and its fields."""
    ids = ", ".join(f"`{each}`" for each in known.id_aliases) or "nothing else"
    return _lines(
        [
            f"### {known.title}: `{known.layer}`",
            "",
            f"{' or '.join(known.geometry)}. Id `{known.id}`, seen as {ids}.",
            "",
            _row("field", "what", "type", "unit", "codes", "seen as"),
            _row(*["---"] * 6),
            *(_field(each) for each in known.fields),
        ]
    )


def _field(each: Field) -> str:
    title = f"{each.title} (*staff*)" if each.staff_only else each.title
    synonyms = (f"“{said}” = {meant}" for said, meant in each.synonyms.items() if meant)
    codes = "; ".join([", ".join(each.codes), *([", ".join(synonyms)] if each.synonyms else [])]).strip("; ")
    return _row(f"`{each.name}`", title, each.type, each.unit, codes, ", ".join(f"`{alias}`" for alias in each.aliases))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
