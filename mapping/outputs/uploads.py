"""A file that came through the browser, held beside the town until it is imported or let go."""

from __future__ import annotations

import hashlib
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from layers.errors import SourceError

KINDS = (".zip", ".gpkg", ".geojson", ".json", ".csv", ".xlsx")
"""What one upload can be: a zip holds a shapefile or a file geodatabase with all its parts."""
FOLDER = "uploads"
HELD_FOR = timedelta(days=1)
"""How long an upload that nobody accepts stays, should its page never come back."""
UNSAFE = re.compile(r"[^A-Za-z0-9._ -]+")


def hold(folder: Path, name: str, content: bytes) -> Path:
    """The upload as a file in the town's folder, under its own hash; its name is kept as far as it is safe as a name."""
    safe = safe_name(name)
    place = folder / "outputs" / FOLDER / hashlib.sha256(content).hexdigest()[:16]
    place.mkdir(parents=True, exist_ok=True)
    path = place / safe
    path.write_bytes(content)
    return path


def clear_out(folder: Path, *, keep: Path | None = None, older_than: timedelta = timedelta(0)) -> None:
    """Removes what was held and never imported, but for `keep` and for what is younger than `older_than`."""
    latest = datetime.now(UTC).timestamp() - older_than.total_seconds()
    for place in (folder / "outputs" / FOLDER).glob("*"):
        if (keep is None or place != keep.parent) and place.stat().st_mtime <= latest:
            shutil.rmtree(place, ignore_errors=True)


def let_go(path: Path) -> None:
    """Forgets a held upload."""
    shutil.rmtree(path.parent, ignore_errors=True)


def safe_name(name: str) -> str:
    """The last part of a file's name without what a path, a shell or a screen could misread; SourceError for other kinds.

    >>> safe_name("../../etc/Outfalls 2026;rm.csv")
    'Outfalls 2026_rm.csv'
    """
    last = UNSAFE.sub("_", PurePosixPath(name.replace("\\\\", "/")).name).lstrip(".")[-100:]
    if not last.lower().endswith(KINDS) or last.lower() in KINDS:
        raise SourceError(
            f"{last or 'the file'} is of no kind that can be imported here", hint=f"send one of {', '.join(KINDS)}"
        )
    return last
