"""Calls: how many modules and functions a reader meets between a command and its answer, and how deep they are nested.

Three paths are counted: ``tiebreak compare scores.csv`` of ten lines, from its imports to its answer; and ``tb.evaluate`` of two
models to their rows in an SQLite file, and 200 items of three models to their report, when everything is imported already.

What counts is each code object of tiebreak that is entered while `sys.setprofile` looks on, with two exceptions: code without a
name of its own (comprehensions, generator expressions, lambdas, the body of a module), and methods that dataclasses generate,
which stand in no file. So functions and methods count, and the body of a class when its module is imported; that is once each,
however often they run. A module counts when anything in it counts. The depth is the greatest number of tiebreak's frames, of
any kind, that stand upon one another; a comprehension is one up to Python 3.11 and none later. Threads are not followed.

With ``--list`` it prints what was called, by module, with the number of calls, and what stood upon one another at the deepest.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

from goals import Goal, report


class Calls:
    """Calls of tiebreak's code within a ``with`` block."""

    def __init__(self) -> None:
        spec = find_spec("tiebreak")  # without importing it, as the imports are counted
        assert spec is not None
        assert spec.submodule_search_locations
        self._root = spec.submodule_search_locations[0] + os.sep
        self._counts: Counter[CodeType] = Counter()
        self.deepest: list[CodeType] = []

    def __enter__(self) -> Calls:
        sys.setprofile(self._on_event)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _on_event(self, frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(self._root):
            return
        self._counts[frame.f_code] += 1
        above: FrameType | None = frame
        frames = []
        while above is not None:
            if above.f_code.co_filename.startswith(self._root):
                frames.append(above.f_code)
            above = above.f_back
        if len(frames) > len(self.deepest):
            self.deepest = frames[::-1]

    @property
    def named(self) -> list[tuple[CodeType, int]]:
        """Code with a name of its own and the number of its calls, in the order of the files."""
        rows = [(code, n_calls) for code, n_calls in self._counts.items() if not code.co_name.startswith("<")]
        return sorted(rows, key=lambda row: (row[0].co_filename, row[0].co_firstlineno))

    @property
    def n_functions(self) -> int:
        return len(self.named)

    @property
    def n_calls(self) -> int:
        return sum(n for _, n in self.named)

    @property
    def n_modules(self) -> int:
        return len({code.co_filename for code, _ in self.named})

    def print_list(self) -> None:
        """Print the modules, the functions in them with their calls, and the deepest stack."""
        for file, rows in groupby(self.named, key=lambda row: row[0].co_filename):
            print(f"\n{file.removeprefix(self._root)}")
            for code, n_calls in rows:
                print(f"  {n_calls:6} x  {code.co_qualname}{'' if code.co_flags & 1 else '  (body of the class)'}")
        print("\nat the deepest")
        for depth, code in enumerate(self.deepest, start=1):
            print(f"  {depth:3}  {code.co_filename.removeprefix(self._root)}:{code.co_firstlineno} {code.co_qualname}")


def run_compare() -> None:
    """Run ``tiebreak compare scores.csv`` on a file of ten lines."""
    rows = "".join(f"{fold},90,10,0.8{fold},0.7{3 * fold % 10}\n" for fold in range(9))
    Path("scores.csv").write_text(f"fold,n_train,n_test,first,second\n{rows}")
    run_command("compare", "scores.csv", "--metric", "accuracy")


def run_items() -> None:
    """Compare three models on 200 items, and write the report."""
    import numpy as np

    import tiebreak as tb

    rng = np.random.default_rng(0)
    models = {name: (rng.random(200) < share).astype(int) for name, share in (("a", 0.5), ("b", 0.7), ("c", 0.7))}
    tb.compare({"item": [f"q{i}" for i in range(200)], **models}).to_html("report.html")


def run_command(*typed: str) -> None:
    arguments, sys.argv = sys.argv, ["tiebreak", *typed]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            from tiebreak.cli.main import main

            main()
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"tiebreak {typed[0]} ended with {end.code}:\n{said.getvalue()}") from end
    finally:
        sys.argv = arguments


def run_evaluate(file: str) -> None:
    """Evaluate two models into an SQLite file of this folder."""
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier

    import tiebreak as tb

    X, y = load_iris(return_X_y=True)
    tb.evaluate({"bayes": GaussianNB(), "neighbours": KNeighborsClassifier()}, X, y, cv=5, store=f"sqlite:///{file}")


def counted(path: Callable[[], None]) -> Calls:
    calls = Calls()
    with calls:
        path()
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the modules and functions that two paths through tiebreak call.")
    parser.add_argument("--list", action="store_true", help="print them, by module, with the number of calls")
    show = parser.parse_args().list
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        compare = counted(run_compare)
        run_evaluate("first.db")  # imports what is left to be imported
        evaluate = counted(lambda: run_evaluate("second.db"))
        run_items()
        items = counted(run_items)
    if show:
        for title, calls in (
            ("tiebreak compare scores.csv", compare),
            ("tb.evaluate to an SQLite file", evaluate),
            ("items to the report", items),
        ):
            print(f"\n{title}\n{'=' * len(title)}")
            calls.print_list()
        print()
    return report(
        [
            Goal("tb.evaluate to SQLite: modules", evaluate.n_modules, "at most", 40),
            Goal("tb.evaluate to SQLite: functions", evaluate.n_functions, "at most", 130),
            Goal("tb.evaluate to SQLite: depth", len(evaluate.deepest), "at most", 14),
            Goal("tiebreak compare scores.csv: functions", compare.n_functions, "at most", 300),
            Goal("items to the report: functions", items.n_functions, "at most", 400),
            Goal("items to the report: calls", items.n_calls, "at most", 15_000),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
