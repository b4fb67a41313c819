"""Texts that a person has read; ``GOLDEN=write pytest FILE`` writes them anew, and the difference is to be read."""

import os
import re
from pathlib import Path
from string import ascii_letters as LETTERS


def check(path: Path, text: str) -> None:
    """The text is the one that was read, word for word."""
    if os.environ.get("GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def steady(text: str, most: int = 300) -> str:
    """What every machine prints: four digits of long numbers, no times and dates, no versions; of long lines the start."""
    long_numbers = r"-?\d+\.\d{5,}(?:e[-+]?\d+)?|-?\d(?:\.\d+)?e-\d+"
    text = re.sub(long_numbers, lambda found: f"{float(found[0]) * (abs(float(found[0])) > 1e-14):.4g}", text)
    text = re.sub(r" *\b\d[\d.e+]* ?(?:m?s\b|/s)", " # s", re.sub(r"\d{4}-\d\d-\d\d[T ][\d:]+Z?", "DATE", text))
    text = re.sub(" {2,}(fit\\b|-$)", r"  \1", text, flags=re.MULTILINE)
    lines = [line for line in text.splitlines() if not line.startswith(('"tiebreak": ', '"versions": '))]
    return "\n".join(line if len(line) <= most else line[: len(line[:most].rstrip(LETTERS))] + "..." for line in lines) + "\n"
