"""What ``tiebreak learning-curve`` and ``validation-curve`` have in common: a study in, a curve measured, shown and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tiebreak.cli.compare import FORMATS, Names
from tiebreak.cli.measuring import Watch, check_jobs, error_of_study, progress_shown
from tiebreak.cli.process import (
    EXIT_OK,
    EXIT_WRONG_USE,
    CommandError,
    Terminated,
    emit,
    make_folder,
    reason,
    say,
    warnings_said,
)
from tiebreak.cli.stores import store_for_study, store_option, without_password
from tiebreak.cli.wording import as_typed
from tiebreak.errors import TiebreakError

if TYPE_CHECKING:
    from tiebreak.evaluation.progress import Progress
    from tiebreak.studies.learning_curve import LearningCurve
    from tiebreak.studies.validation_curve import ValidationCurve
    from tiebreak.study_file.study import Study

    Curve = LearningCurve | ValidationCurve


@dataclass(frozen=True, slots=True)
class Options:
    """What both take; None leaves it to the study."""

    store: str | None
    name: str | None
    models: tuple[str, ...]
    dataset: str | None
    metric: str | None
    rope: float | str | None
    alpha: float
    n_jobs: int | None
    timeout: float | None
    retry_failed: bool
    accept_versions: bool
    quiet: bool
    format_: str
    plots: Path | None


def _rope(_: click.Context, __: click.Parameter, value: str | None) -> float | str | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return value  # a percentage, or for the library to refuse


def _joined(_: click.Context, __: click.Parameter, value: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    return tuple(name for names in value for name in names)


# fmt: off
_OPTIONS = (
    store_option,
    click.option("--name", metavar="NAME", help="Of the run in the store; made from the study's name if not given."),
    click.option("--models", type=Names(), multiple=True, callback=_joined, metavar="NAME",
                 help="Only these models of the study. Once for each, or a JSON list."),
    click.option("--dataset", metavar="NAME", help="Which dataset, where the study has several."),
    click.option("--metric", metavar="NAME", help="Which metric of the study is shown; the first one if not given."),
    click.option("--rope", metavar="WIDTH", callback=_rope,
                 help="Largest difference that does not matter to you, in the metric's unit or as '1%' of the best mean.  "
                      "[default: the study's]"),
    click.option("--alpha", type=float, default=0.05, show_default=True, help="1 - coverage of the intervals."),
    click.option("--n-jobs", type=int, metavar="N", callback=check_jobs,
                 help="Worker processes; -1 for all cores.  [default: as the study says, or 1]"),
    click.option("--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
                 help="Give up a cell (one model on one split) after this time."),
    click.option("--retry-failed", is_flag=True, help="Measure again what failed before."),
    click.option("--accept-versions", is_flag=True, help="Go on with a run that was begun with other versions of libraries."),
    click.option("--quiet", is_flag=True, help="Show no progress."),
    click.option("--format", "format_", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
                 help="How the curve is written; csv holds the points."),
    click.option("--plots", type=click.Path(path_type=Path), metavar="DIR", help="Draw the curve into this folder."),
)
# fmt: on


def curve_options(command: Callable[..., None]) -> Callable[..., None]:
    """The command with all options that both have, in the order of the help."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def run_curve(path: str, kind: str, measure: Callable[..., Curve], options: Options, about: str = "") -> int:
    """Measure the curve of a study, show it, and return the exit code.

    Parameters
    ----------
    path : str
        Of the study.
    kind : str
        "learning-curve" or "validation-curve": names the run and the picture.
    measure : callable
        Takes arguments of `make_plan` and `RunOptions`.
    options : Options
    about : str
        End of the run's name.
    """
    from tiebreak.study_file.study import read_study

    study = read_study(path)
    arguments = _arguments(study, options)
    if options.plots is not None:
        make_folder(options.plots)  # before the work: a folder that cannot be written should not cost the answer
    url = store_for_study(options.store, study.store, study.name)
    name = options.name or f"{study.name}-{kind}{about}"
    try:
        curve = _measured(study, url, name, measure, options, arguments)
        curve = curve if options.metric is None else curve.for_metric(options.metric)
    except TiebreakError as error:
        raise _in_words(study, error) from error
    _show(curve, options.format_)
    if options.plots is not None:
        _draw(curve, options.plots / f"{kind}.png")
    # whoever chains commands has to be told that no model could be fitted at all
    return EXIT_OK if curve.evaluation.n_done else EXIT_WRONG_USE


def _arguments(study: Study, options: Options) -> dict[str, Any]:
    """Models and data of the study, as arguments of `make_plan`."""
    from tiebreak.scores.scores import look_up

    models, datasets = dict(study.models), dict(study.datasets)
    for name in options.models:
        look_up(name, list(models), f"model of {study.file}")
    if options.models:
        models = {name: models[name] for name in options.models}
    if options.dataset is not None:
        look_up(options.dataset, list(datasets), f"dataset of {study.file}")
    elif len(datasets) > 1:
        raise click.UsageError(f"the study has {len(datasets)} datasets, and a curve is about one. Name it with --dataset.")
    data = datasets[options.dataset] if options.dataset is not None else next(iter(datasets.values()))
    return {
        "models": models,
        "X": data.X,
        "y": data.y,
        "groups": data.groups,
        "sample_weight": data.weights,
        "cv": study.cv,
        "rng": study.seed,
    }


def _measured(
    study: Study, url: str, name: str, measure: Callable[..., Curve], options: Options, arguments: dict[str, Any]
) -> Curve:
    from tiebreak.errors import LostWorkersError, StoreError
    from tiebreak.evaluation.run_options import RunOptions

    watch = Watch(progress_shown(options.quiet))
    try:
        with warnings_said():
            run = RunOptions(
                store=url,
                name=name,
                n_jobs=options.n_jobs or study.n_jobs,
                threads_per_fit=study.threads_per_fit,
                timeout=options.timeout or study.timeout,
                retry_failed=options.retry_failed,
                accept_versions=options.accept_versions,
                progress=watch,
            )
            rope = study.rope if options.rope is None else options.rope
            return measure(arguments, run, scoring=study.scoring, rope=rope, alpha=options.alpha)
    except (KeyboardInterrupt, Terminated, StoreError, LostWorkersError):
        if watch.last is not None:
            say(_how_to_go_on(watch.last, url))
        raise


def _how_to_go_on(last: Progress, url: str) -> str:
    kept = last.n_done + last.n_failed
    return f"{kept} of {last.n_cells} cells are kept in {without_password(url)}. The same command goes on from there."


def _in_words(study: Study, error: TiebreakError) -> TiebreakError:
    """An error in the words of whoever typed the command: about an option, or about the study."""
    from tiebreak.errors import InvalidParameterError, UnknownNameError

    about_options = str(error).startswith(("sizes", "values", "parameter", "rope", "alpha", "no parameter of", "no metric"))
    if about_options and isinstance(error, InvalidParameterError | UnknownNameError):
        return type(error)(as_typed(str(error)))
    return error_of_study(study, error)


def _show(curve: Curve, format_: str) -> None:
    if format_ == "json":
        emit(curve.to_json() + "\n")
    elif format_ == "markdown":
        emit(curve.to_markdown())
    elif format_ == "csv":
        from tiebreak.cli.csv_text import csv_lines

        frame = curve.to_frame()
        columns = [frame[name].tolist() for name in frame.columns]
        emit(csv_lines(list(frame.columns), zip(*columns, strict=True)))
    else:
        emit(curve.to_text())


def _draw(curve: Curve, path: Path) -> None:
    try:
        curve.plot().save(path)
    except OSError as error:
        raise CommandError(f"the plot could not be written to {str(path)!r}: {reason(error)}") from error
    say(f"the plot is in {path}")
