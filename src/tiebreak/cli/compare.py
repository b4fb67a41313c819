"""``tiebreak compare``: score files in, verdicts out; with requirements, a gate for releases."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.options import NAMES, ROPE, check_raw, format_option, help_option, plots_option, raw_option, with_options
from tiebreak.cli.process import EXIT_NOT_MET, EXIT_OK, CommandError, as_typed, emit, make_folder, say, writing

if TYPE_CHECKING:
    from tiebreak.comparison.comparison import Comparison
    from tiebreak.comparison.requirements import Requirements

# Spelled out here, as asking the library would import numpy before the command line is even read; a test holds them equal.
CORRECTIONS = ("bonferroni", "sidak", "holm", "hochberg", "hommel", "shaffer", "bh", "by", "none")
ALTERNATIVES = ("two-sided", "greater", "less")
MISSING = ("raise", "pairwise")

EPILOG = """\b
Examples:
  tiebreak compare scores.csv --metric accuracy --rope 0.01
  tiebreak compare scores.csv --metric max_error --baseline ridge --format markdown
  tiebreak compare last.json today.csv --metric accuracy --rope 0.01 --require-not-worse new old
"""


def _choice(choices: Sequence[str], **more: Any) -> dict[str, Any]:
    """One of several words, of which the first is the default; it is not given, so that a saved answer's can count."""
    return {"type": click.Choice(choices), "show_default": choices[0], **more}


class MethodName(click.Choice[str]):
    """A procedure by name; the names are looked up when they are needed, as that imports numpy."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """Names of all procedures."""
        from tiebreak.comparison.procedures import METHODS

        return "auto", *METHODS


def _options(_: click.Context, __: click.Parameter, typed: Sequence[tuple[str, str]]) -> dict[str, Any] | None:
    """Names with their values, which are JSON where they can be, else texts; None where the option was not used."""
    options: dict[str, Any] = {}
    for name, value in typed:
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    return options or None


_NAME: dict[str, Any] = {"metavar": "NAME"}
_COUNT: dict[str, Any] = {"type": click.IntRange(min=1), "metavar": "N"}
_PAIRS: dict[str, Any] = {"nargs": 2, "multiple": True, "metavar": "A B"}


# fmt: off
_OPTIONS = (
    click.option("--metric", **_NAME, help="Which metric, where a file holds several; its name, where it holds none."),
    click.option("--lower-is-better/--higher-is-better", default=None,
                 help="Direction of a metric that scikit-learn does not know."),
    click.option("--models", **NAMES,
                 help="Compare only these models. Once for each, or a JSON list; a comma belongs to the name."),
    click.option("--dataset", **_NAME, help="Which dataset, where a file holds several."),
    click.option("--rope", show_default="0", **ROPE,
                 help="Largest difference that does not matter to you, in the metric's unit or as '1%' of the best mean."),
    click.option("--alpha", type=float, show_default="0.05", help="Chance of any wrong verdict over all pairs."),
    click.option("--baseline", **_NAME, help="Judge every other model against this one only, instead of all pairs."),
    click.option("--correction", **_choice(CORRECTIONS), help="Sets the level of all intervals, and adjusts p-values."),
    click.option("--order", **NAMES, help="Order of the pairs, chosen before looking at the scores. Given as --models is."),
    click.option("--alternative", **_choice(ALTERNATIVES),
                 help="Direction of the test of no difference; one-sided needs --order or --baseline. Never touches verdicts."),
    click.option("--method", type=MethodName(), show_default="auto",
                 help="Procedure; auto takes the one that fits how the splits were made."),
    click.option("--option", "options", nargs=2, multiple=True, metavar="NAME VALUE", callback=_options,
                 help="Option of the procedure alone. Repeatable."),
    click.option("--missing", **_choice(MISSING),
                 help="Whether missing scores are an error, or leave their split out of the pairs they are in."),
    click.option("--n-train", **_COUNT, help="Training examples per split, where no file has them."),
    click.option("--n-test", **_COUNT, help="Test examples per split, where no file has them."),
    click.option("--p-best", is_flag=True, default=None, help="Draw P(best), the probability that a model is the best."),
    click.option("--seed", type=click.IntRange(min=0), show_default="0", metavar="N", help="Seed of all that is drawn."),
    click.option("--require-better", **_PAIRS, help="Exit code 1 unless A is shown better than B. Repeatable."),
    click.option("--require-not-worse", **_PAIRS,
                 help="Exit code 1 unless A is shown not worse than B by more than the rope. Repeatable."),
    format_option("How the answer is written; csv holds the pairs."),
    raw_option,
    plots_option("Draw all plots into this folder."),
)
# fmt: on


@click.command("compare", epilog=EPILOG, short_help="Say which models are better, and which tie.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@with_options(*_OPTIONS)
@help_option
@click.pass_context
def compare_command(
    context: click.Context,
    /,
    files: tuple[str, ...],
    format_: str,
    raw: bool,
    plots: Path | None,
    require_better: tuple[tuple[str, str], ...],
    require_not_worse: tuple[tuple[str, str], ...],
    seed: int | None,
    **settings: Any,
) -> None:
    """Compare the models whose scores stand in FILE...

    A file is CSV, JSON or Parquet: a column per model, or the columns model and score, with repeat, fold, n_train and n_test
    where they are known; or what --format json wrote. '-' is standard input, and sqlite:///runs.db#NAME a run in a store.
    Several files are joined on their splits, so that last release's scores and today's can be compared. Settings that are not
    given are those of a saved answer or of a study, where a FILE is one.
    """
    check_raw(raw, format_)
    if files.count("-") > 1:
        raise click.UsageError("standard input can be read only once.")
    if plots is not None:
        make_folder(plots)  # before the work: a folder that cannot be written should not cost the answer
    comparison = _compared(files, {**settings, "rng": seed})
    required = bool(require_better or require_not_worse)
    requirements = comparison.meets(better=require_better, not_worse=require_not_worse) if required else None
    write_answer(comparison, format_, requirements, raw=raw)
    if plots is not None:
        draw(comparison, plots)
    context.exit(EXIT_OK if requirements is None or requirements else EXIT_NOT_MET)


def write_answer(comparison: Comparison, format_: str, requirements: Requirements | None = None, *, raw: bool = False) -> None:
    """Print a comparison in one of `FORMATS`."""
    _VIEWS[format_](comparison, requirements, raw)


def draw(comparison: Comparison, folder: Path) -> None:
    """Save all plots of a comparison and say where they are."""
    with writing("the plots", folder):
        paths = comparison.plot.save_all(folder)
    say(f"{len(paths)} plots are in {folder}")


def _compared(files: Sequence[str], settings: dict[str, Any]) -> Comparison:
    from tiebreak import api
    from tiebreak.errors import TiebreakError, UnknownNameError

    with TemporaryDirectory(prefix="tiebreak-") if "-" in files else nullcontext("") as folder:
        standard_input = _spooled(folder) if folder else None
        try:
            return api.compare(*(standard_input if file == "-" else file for file in files), **settings)
        except TiebreakError as error:
            given = [name for option in ("models", "order") for name in settings[option] or ()]
            if isinstance(error, UnknownNameError) and any("," in name for name in given):
                raise CommandError(f"{error} (A comma belongs to the name: give --models and --order once for each.)") from error
            if standard_input is not None and str(standard_input) in str(error):
                raise CommandError(as_typed(error).replace(str(standard_input), "standard input")) from error
            raise


def _spooled(folder: str) -> Path:
    """Standard input as a file, which is what can be read; a JSON file if it begins like one."""
    if sys.stdin is None:
        raise CommandError("'-' stands for standard input, which is closed.")
    start = sys.stdin.buffer.read(64)
    is_json = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))
    path = Path(folder, "stdin.json" if is_json else "stdin.csv")
    with path.open("wb") as file:
        file.write(start)
        shutil.copyfileobj(sys.stdin.buffer, file)
    return path


# --- one function for each format ---------------------------------------------------------------------------------------


def _as_table(comparison: Comparison, requirements: Requirements | None, _: bool) -> None:
    if sys.stdout is not None and sys.stdout.isatty():
        from tiebreak.views.comparison import page
        from tiebreak.views.page import WHOLE_NAME

        page(comparison, requirements, name_width=WHOLE_NAME).show()
        return
    emit(comparison.to_text(requirements))


def _as_markdown(comparison: Comparison, requirements: Requirements | None, _: bool) -> None:
    emit(comparison.to_markdown(requirements))


def _as_json(comparison: Comparison, requirements: Requirements | None, _: bool) -> None:
    from tiebreak.views.comparison import facts
    from tiebreak.views.json import json_pieces

    emit(json_pieces(facts(comparison, requirements)))
    emit("\n")


def _as_csv(comparison: Comparison, requirements: Requirements | None, raw: bool) -> None:
    from tiebreak.views.csv import pair_lines

    emit(pair_lines(comparison, raw=raw), raw=raw)
    if requirements is not None:
        from tiebreak.views.words import judgements

        say("\n".join(judgements(requirements)))  # the table has no place for it


_VIEWS: dict[str, Callable[[Comparison, Requirements | None, bool], None]] = {
    "table": _as_table,
    "json": _as_json,
    "csv": _as_csv,
    "markdown": _as_markdown,
}
