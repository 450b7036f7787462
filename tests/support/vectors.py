"""The vectors in tests/vectors: published ones, and golden bytes that show when the wire changes."""

import json
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "vectors"


def rows(file: str, table: str) -> list[dict[str, str]]:
    """Return a table of a vector file."""
    found: list[dict[str, str]] = json.loads((FOLDER / file).read_text())[table]
    return found


def golden(file: str) -> dict[str, bytes]:
    """Return golden bytes by name."""
    named: dict[str, str] = json.loads((FOLDER / file).read_text())
    return {name: bytes.fromhex(text) for name, text in named.items()}
