# Part of the GOAT project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled kernels on disk, found by what they were compiled from.

The folder is $GOATC_CACHE_DIR, else goatc in $XDG_CACHE_HOME, else in ~/.cache;
GOATC_CACHE_DIR=off keeps nothing. An entry is made beside its place and then
renamed, so that no process ever sees half of one.
"""

import hashlib
import json
import os
from pathlib import Path
import shutil
import tempfile
from typing import Any, Callable, Mapping, Optional
import warnings


def directory() -> Optional[Path]:
    """Returns the folder of the cache, or None when it is off."""
    named = os.environ.get("GOATC_CACHE_DIR")
    if named == "off":
        return None
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "goatc"


def key_of(parts: Mapping[str, Any]) -> str:
    """Returns the name of an entry: a hash of all that its contents depend
    on."""
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def get(root: Path, key: str, make: Callable[[Path], None]) -> Path:
    """Returns the folder of an entry, which `make` fills when it is new.

    A cache that cannot be written to is warned of; the entry is then made in a
    temporary folder, which is the caller's to remove.
    """
    entry = root / key[:2] / key
    if (entry / "complete").exists():
        return entry
    try:
        entry.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=entry.parent))
    except OSError as error:
        warnings.warn(f"the compile cache {root} cannot be written to "
                      f"({error.strerror}); GOATC_CACHE_DIR names another")
        draft = Path(tempfile.mkdtemp(prefix="goatc-"))
        make(draft)
        return draft
    try:
        make(draft)
        (draft / "complete").touch()
        try:
            draft.rename(entry)
        except OSError:
            # Another process was first, or what is there is not complete.
            if not (entry / "complete").exists():
                shutil.rmtree(entry, ignore_errors=True)
                draft.rename(entry)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return entry


def clear() -> int:
    """Removes all entries; returns how many there were."""
    root, removed = directory(), 0
    if root is None or not root.is_dir():
        return 0
    for shelf in root.iterdir():
        if len(shelf.name) == 2 and shelf.is_dir():
            for entry in shelf.iterdir():
                shutil.rmtree(entry, ignore_errors=True)
                removed += not entry.name.startswith(".")
    return removed
