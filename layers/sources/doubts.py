"""What a source does not say aloud: features that a service held back, text cut short, curves, measures, letters misread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

SERVICE_LIMIT = 1000
"""Map services stop at a multiple of this count and say nothing (Esri's limits are 1,000 and 2,000 records)."""
HELD_BACK = re.compile(rb'"exceededTransferLimit"\s*:\s*true')
WIDEST = 254
"""Bytes that the widest text field of a shapefile holds; longer texts are cut there, mid-letter if need be."""
CURVES = range(8, 13)
"""WKB types with arcs: CircularString, CompoundCurve, CurvePolygon, MultiCurve, MultiSurface."""
Doubt = tuple[str, str]


def doubt_count(count: int) -> Iterator[Doubt]:
    """A round count may be where a map service stopped."""
    if count and count % SERVICE_LIMIT == 0:
        yield "round_count", f"exactly {count:,} features: a map service may have stopped there, ask for the rest"


def doubt_transfer(path: Path) -> Iterator[Doubt]:
    """A saved answer of a map service says whether it was all."""
    if path.suffix.lower() in (".json", ".geojson") and HELD_BACK.search(path.read_bytes()):
        yield "transfer_limit", "the map service says that it did not send all features, ask for the rest"


def doubt_reader(said: Iterable[str]) -> Iterator[Doubt]:
    """What GDAL warned of, once each; of measures we tell ourselves."""
    for each in dict.fromkeys(text.splitlines()[0] for text in said if text):
        if not each.startswith("Measured (M)"):
            yield "reader", each


def doubt_drawing(kinds: npt.NDArray[np.uint32]) -> Iterator[Doubt]:
    """Curves and measures (M) do not survive; `kinds` are the WKB types of the drawn features."""
    plain = kinds & 0x0FFFFFFF
    curved = int(np.isin(plain % 1000, CURVES).sum())
    measured = int(np.isin(plain // 1000, (2, 3)).sum())
    if curved:
        yield (
            "curves_stroked",
            f"{curved:,} features are drawn with arcs, which became short straight lines: "
            "neighbours no longer share every vertex",
        )
    if measured:
        yield "m_dropped", f"{measured:,} features carry measures (M), which were dropped"


def doubt_text(frame: pd.DataFrame, *, widths: Mapping[str, int], encoding: str, told: bool) -> Iterator[Doubt]:
    """Text that fills its field may have been cut; text in an encoding that nobody told may have been misread."""
    texts = {name: frame[name].dropna().astype(str) for name in frame if pd.api.types.is_string_dtype(frame[name])}
    for name, width in widths.items():
        if width == WIDEST and name in texts:
            full = int((_sizes(texts[name], encoding) > WIDEST - 4).sum())
            if full:
                yield (
                    "text_cut",
                    f"{full:,} values of {name} fill all {width} bytes of their field and may have been cut",
                )
    foreign = (
        pd.concat([each[~each.map(str.isascii)] for each in texts.values()]) if texts else pd.Series([], dtype=str)
    )
    misread = next((text for text in foreign if _is_misread(text)), "")
    if misread:
        yield "text_misread", f"{misread!r} looks misread: import again with --encoding UTF-8"
    elif len(foreign) and not told:
        sample = foreign.iloc[0]
        yield (
            "encoding_assumed",
            f"the file does not tell its encoding; {sample!r} was read as {encoding or 'ISO-8859-1'}",
        )


def _sizes(texts: pd.Series, encoding: str) -> Any:
    """Bytes of each text as it stands in its file: a field's width counts bytes, not letters."""
    return texts.map((lambda text: len(text.encode())) if encoding.upper() in ("UTF-8", "UTF8") else len)


def _is_misread(text: str) -> bool:
    """Whether it is UTF-8 that was read as a Western encoding, such as `CafÃ©`."""
    try:
        return text.encode("cp1252").decode("utf-8") != text
    except UnicodeError:
        return False
