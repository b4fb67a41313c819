"""``tiebreak compare``: score files in, verdicts out; with requirements, a gate for releases."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

import tiebreak as tb
from tiebreak.cli.options import (
    COUNT,
    FILE,
    NAME,
    NAMES,
    ROLES,
    ROPE,
    Output,
    as_rope,
    check_apart,
    direction_options,
    found_in,
    help_option,
    output_options,
    read_by_roles,
    role_options,
    show_found,
    with_direction,
)
from tiebreak.cli.process import (
    EXIT_BROKEN,
    EXIT_INCONCLUSIVE,
    EXIT_OK,
    CommandError,
    say,
    standard_input_as_file,
    unread,
    waiting,
)
from tiebreak.errors import TiebreakError, UnclearSourceError, UnknownNameError
from tiebreak.lazy_names import put_off_numpy_tools

EPILOG = """\b
Examples:
  tiebreak compare scores.csv --metric accuracy --rope 0.01
  tiebreak compare last.json today.csv --rope 0.01 --require-not-worse new old
  tiebreak compare samples_a.jsonl samples_b.jsonl

\b
A gate ends with 0 where all requirements are met, 1 where one is broken, 3 where
the scores do not settle them. A model may have the name of another metric in
front: --require-not-worse log_loss:new log_loss:old
"""


def _choice(*choices: str) -> dict[str, Any]:
    """One of several words, of which the first is the default; it is not given, so that a saved answer's can count.

    They are spelled out, as asking the library would import numpy before the command line is even read.
    """
    return {"type": click.Choice(choices), "show_default": choices[0]}


def _sizes(typed: str) -> int | tuple[int, ...]:
    """A number of examples, or those of positive and of negative ones."""
    numbers = [int(each) if each.strip().isdecimal() else 0 for each in typed.split(",")]
    if min(numbers) < 1 or len(numbers) > 2:
        raise click.BadParameter(
            f"{typed!r} is no number of examples, such as 1000, nor two of them, such as 40,1960 (positive, negative)."
        )
    return numbers[0] if len(numbers) == 1 else tuple(numbers)


# --- requirements -----------------------------------------------------------------------------------------------------------


_GATE = ("require_better", "require_not_worse", "require_near_best", "allow_inconclusive", "noise_floor", "junit")
"""Options of requirements, of which the first three state them."""


def _check_gate(gate: dict[str, Any], files: Sequence[str]) -> None:
    """Refuse what can never go well, before the work on these files."""
    junit = gate["junit"]
    given = next((name for name in _GATE if gate[name]), None)
    if given in _GATE[3:]:
        raise click.UsageError(f"--{given.replace('_', '-')} goes with a requirement, such as --require-not-worse A B.")
    if junit is not None and not junit.parent.is_dir():
        raise click.UsageError(f"the folder of --junit {str(junit)!r} is not there.")
    check_apart("--junit", junit, files)


def _judged(gate: dict[str, Any], comparison: tb.Comparison, sources: Sequence[Any], settings: dict[str, Any]) -> tb.Requirements:
    """Outcome of all requirements."""
    typed: Any = {name.removeprefix("require_"): gate[name] for name in _GATE[:3]}
    return comparison.meets(
        **typed,
        others=functools.partial(_compared_otherwise, sources, settings, comparison),
        noise_floor=_noise_floor(gate, sources, comparison),
    )


def _exit_code(gate: dict[str, Any], requirements: tb.Requirements) -> int:
    """Write the outcome of all for a build server, and return its exit code, which counts whoever reads the answer."""
    if gate["junit"] is not None:
        from tiebreak.views.requirements import junit_xml
        from tiebreak.views.view import write_whole

        write_whole(gate["junit"], junit_xml(requirements, allow_inconclusive=gate["allow_inconclusive"]))
    unread.clear()
    return {
        "met": EXIT_OK,
        "broken": EXIT_BROKEN,
        "inconclusive": EXIT_OK if gate["allow_inconclusive"] else EXIT_INCONCLUSIVE,
    }[requirements.outcome]


_READING = ("models", "dataset", "cv", "rows", "item", "n_train", "n_test")
"""Options of how the files are read, whatever the metric."""

_PAIRS: dict[str, Any] = {"nargs": 2, "multiple": True, "metavar": "A B"}

# --- the command ------------------------------------------------------------------------------------------------------------

_OPTIONS = [
    click.Option(["--metric"], **NAME, help="Which metric; its name where no file has one."),
    *direction_options,
    click.Option(["--models"], **NAMES, help="Only these. Once for each."),
    click.Option(["--dataset"], **NAME, help="Which dataset, where there are several."),
    click.Option(["--rope"], show_default="0", **ROPE, help="Smallest difference that matters, or '1%'."),
    click.Option(["--alpha"], type=float, show_default="0.05", help="Chance of any wrong verdict over all pairs."),
    click.Option(["--baseline"], **NAME, help="Judge the others against this one only."),
    click.Option(["--family"], **_choice("pairs", "best"), help="Judge all pairs, or each model against the best."),
    click.Option(
        ["--correction"],
        **_choice("bonferroni", "holm", "shaffer", "bh", "none"),
        help="Level of the intervals; stepwise without a rope.",
    ),
    click.Option(
        ["--method"],
        **NAME,
        show_default="auto",
        help="Procedure; auto takes the one that fits.",
    ),
    click.Option(
        ["--missing"],
        **_choice("raise", "pairwise"),
        help="Missing scores: an error, or left out by pair.",
    ),
    click.Option(
        ["--rows"],
        **_choice("auto", "items", "splits", "seeds"),
        help="What a row is; auto knows columns of items.",
    ),
    click.Option(["--item"], **NAME, help="Column that names the items."),
    click.Option(["--by"], metavar="COLUMN", help="Slices of the items, by this column."),
    click.Option(["--cluster"], metavar="COLUMN", help="Column of items that belong together."),
    click.Option(["--n-total"], **COUNT, help="Units planned, where these are the first."),
    click.Option(["--looks"], **FILE, help="Keep the looks of the plan in this file."),
    click.Option(["--random-order"], is_flag=True, help="The order of a plan's units is known to be random: do not check it."),
    *role_options,
    click.Option(["--positive"], metavar="CLASS", help="Class that f1 is of, where classes are words."),
    click.Option(
        ["--cv", "--folds"],
        type=click.IntRange(min=2),
        metavar="K",
        help="Folds of the cross-validation.",
    ),
    click.Option(["--seeds"], type=click.IntRange(min=2), metavar="K", help="Training runs that a table of means is over."),
    click.Option(["--n-train"], **COUNT, help="Training examples per split."),
    click.Option(
        ["--n-test"], type=_sizes, metavar="N", help="Test examples, per split or of a table of means (positive,negative)."
    ),
    click.Option(["--seed", "rng"], type=click.IntRange(min=0), show_default="0", metavar="N", help="Seed of all that is drawn."),
    click.Option(["--require-better"], **_PAIRS, help="A better than B by more than the rope."),
    click.Option(["--require-not-worse"], **_PAIRS, help="A not worse than B by more than the rope."),
    click.Option(["--require-near-best"], multiple=True, metavar="A", help="A short of the best by the rope at most."),
    click.Option(["--allow-inconclusive"], is_flag=True, help="Exit code 0 where it stays open."),
    click.Option(["--noise-floor"], metavar="FILE", help="Margins below it stay open: a file or a number."),
    click.Option(["--junit"], **FILE, help="Write the requirements, as JUnit's XML."),
    *output_options,
]


GROUPS = {
    "What is compared": "metric lower_is_better directions models dataset rows item cluster by columns where positive cv seeds"
    " n_train n_test",
    "How it is decided": "rope alpha baseline family correction method missing rng",
    "A plan of looks": "n_total looks random_order",
    "A release gate": "require_better require_not_worse require_near_best noise_floor allow_inconclusive junit",
    "Output": "format_ details raw plots html help",
}
"""Titles of the help, and the parameters below each."""


class GroupedCommand(click.Command):
    """A command whose options stand in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups."""
        params = {param.name: param for param in self.get_params(ctx)}
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(filter(None, (params[name].get_help_record(ctx) for name in names.split())))


@click.command("compare", cls=GroupedCommand, params=_OPTIONS, epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@help_option
@click.pass_context
def compare_command(context: click.Context, /, files: tuple[str, ...], **typed: Any) -> None:
    """Compare the models whose scores stand in FILE...

    A file is CSV, JSON or Parquet with a column per model, or the columns model and score, and a row for each split, dataset or
    item; a log of lm-evaluation-harness, Inspect, HELM, Every Eval Ever, promptfoo or SWE-bench; a saved answer, whose settings
    count where none are given; sqlite:///runs.db#NAME, a run in a store; '-', standard input; or a folder of these. Several
    files are joined on their splits.
    """
    from tiebreak.readers.folder import with_folders

    put_off_numpy_tools()
    if files.count("-") > 1:
        raise click.UsageError("standard input can be read only once.")
    gate, output = {name: typed.pop(name) for name in _GATE}, Output.of(typed, files)
    settings = with_direction(typed)
    if (runs := settings.pop("seeds")) is not None:
        if settings["cv"] is not None:
            raise click.UsageError("--seeds and --folds: means are over training runs, or over folds.")
        settings |= {"cv": runs, "rows": "seeds"}
    _check_gate(gate, files)
    with standard_input_as_file(files) as held:
        sources = with_folders(held)
        try:
            keep = _planned(settings, files)
            comparison = _compared(sources, settings)
        except TiebreakError:
            show_found(sources, on_stdout=False)
            raise
        is_gate = any(gate[name] for name in _GATE[:3])
        requirements = _judged(gate, comparison, sources, settings) if is_gate else None
    keep(comparison.looks)  # before anybody sees the answer
    show_found(sources, on_stdout=output.is_text)
    output.write(comparison, requirements)
    if output.format_ == "csv":
        _say_beside(comparison, requirements)
    context.exit(EXIT_OK if requirements is None else _exit_code(gate, requirements))


def _planned(settings: dict[str, Any], files: Sequence[str]) -> Callable[[Any], None]:
    """Put the plan in the place of the file of looks; what keeps them there, if anything is to."""
    is_random = settings.pop("random_order")
    if settings["looks"] is None and not is_random:
        return lambda taken: None
    if settings["looks"] is None and settings["n_total"] is None:
        raise click.UsageError("--random-order is of a plan of looks: say how many units there will be, with --n-total.")
    from dataclasses import replace

    from tiebreak.views.looks import plan_of

    check_apart("--looks", settings["looks"], files)
    plan, keep = plan_of(settings["n_total"], settings["looks"])
    settings["looks"] = replace(plan, check_order=False) if plan is not None and is_random else plan
    return keep


def _noise_floor(gate: dict[str, Any], sources: Sequence[Any], comparison: tb.Comparison) -> tb.NoiseFloor | str | float | None:
    """The noise floor that was given, or the one that lies in a folder with the results."""
    if gate["noise_floor"] is not None:
        return as_rope(gate["noise_floor"])
    from tiebreak.comparison.noise_floor import read_noise_floor

    lying = [each.path for results in found_in(sources) for each in results.of_kind("floor")]
    floors = [floor for floor in map(read_noise_floor, lying) if floor.metric == comparison.metric]
    if len(floors) > 1:
        raise CommandError(f"{len(floors)} noise floors lie there; say which counts with --noise-floor FILE.")
    return floors[0] if floors else None


def _say_beside(comparison: tb.Comparison, requirements: tb.Requirements | None) -> None:
    """Say what has no place in a table of pairs."""
    if comparison.looks is not None:
        from tiebreak.views.looks import sentence

        say(sentence(comparison))
    if requirements is not None:
        from tiebreak.views.requirements import judgements

        say("\n".join(judgements(requirements, comparison.looks)))


def _compared(sources: Sequence[Any], settings: dict[str, Any]) -> tb.Comparison:
    settings = dict(settings)
    try:
        with waiting("reading and comparing"):
            found = read_by_roles(tb.read_scores, sources, settings, ("metric", "lower_is_better", "cluster", *_READING))
            return tb.compare(*found, **settings)
    except TiebreakError as error:
        if isinstance(error, UnknownNameError) and any("," in name for name in settings.get("models") or ()):
            raise CommandError(f"{error} (A comma belongs to the name: give --models once for each.)") from error
        raise


def _compared_otherwise(
    sources: Sequence[Any], settings: dict[str, Any], comparison: tb.Comparison, metric: str
) -> tb.Comparison:
    """Comparison in another metric, which the files have to name: --metric alone would only call the same scores so."""
    rope = comparison.settings.rope
    if rope != 0 and not isinstance(rope, str):
        raise click.UsageError(
            f"--rope {rope:g} is in the unit of {comparison.metric.name}. For {metric} too give a share, such as --rope 1%, or a "
            "command of its own."
        )
    if settings["looks"] is not None or settings["n_total"] is not None:
        raise CommandError(
            f"a requirement names the metric {metric!r}, and looks are of one metric. Ask for it with a plan and a file of its "
            "own, or when all data are in. This look was not kept."
        )
    try:
        tb.read_scores(*sources, **{name: settings[name] for name in (*_READING, *ROLES)})
    except UnclearSourceError as error:
        if error.about == "lower_is_better":  # else there are several metrics, of which one is taken below
            raise CommandError(
                f"a requirement names the metric {metric!r}, but the files do not say which metrics they hold."
            ) from error
    return _compared(sources, {**settings, "metric": metric, "rope": rope, "lower_is_better": None})
