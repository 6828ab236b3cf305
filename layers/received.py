"""Files as they were received, kept in the town's folder under their SHA-256."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from layers.errors import StoreError
from layers.sources import companions, sha256_of


def keep_source(folder: Path, path: Path, provenance: Mapping[str, Any]) -> Path:
    """Keeps the file as it was received under its SHA-256, with who brought it and when; kept once. Returns where."""
    kept = folder / "sources" / sha256_of(path)
    if kept.exists():
        return kept
    beside = kept.with_name(f".{kept.name}.new")
    try:
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        for each in companions(path):
            if each.is_dir():
                shutil.copytree(each, beside / each.name)
            else:
                shutil.copyfile(each, beside / each.name)
        (beside / "provenance.json").write_text(json.dumps(provenance, indent=2, ensure_ascii=False), encoding="utf-8")
        beside.rename(kept)
    except OSError as fault:
        raise StoreError(f"{path.name} cannot be kept in {folder}: {fault}", hint="check the disk") from fault
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return kept
