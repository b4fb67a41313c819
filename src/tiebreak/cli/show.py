"""``tiebreak show``: one run as far as it has come, from the store alone."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from tiebreak.cli.measuring import read_run, resume_command_line, typed, typed_url
from tiebreak.cli.options import Output, help_option, output_options, store_option

if TYPE_CHECKING:
    from tiebreak.evaluation.evaluation import Evaluation


@click.command("show", short_help="Show how far a run has come.")
@click.argument("run", metavar="RUN")
@store_option
@output_options("format", "raw")
@help_option
def show_command(run: str, store: str | None, output: Output) -> None:
    """Show how far RUN has come: means, failures, warnings.

    It needs neither the data nor the study, and may be asked while the run is in progress.
    """
    from tiebreak.views.evaluation import RUN

    output.prepare()
    evaluation = read_run(run, store)
    output.show(evaluation, view=RUN, end="\n" + _next_line(evaluation))


def _next_line(evaluation: Evaluation) -> str:
    """Advice on what to type next."""
    if evaluation.n_done + evaluation.n_failed < evaluation.n_cells:
        return f"To go on: {resume_command_line(evaluation.name, evaluation.url)}\n"
    if len(evaluation.models) < 2 or not evaluation.n_done:
        return ""
    rope = evaluation.record.settings.get("rope")
    with_rope = f" --rope {shlex.quote(str(rope))}" if rope else ""
    of_dataset = f" --dataset {shlex.quote(typed(evaluation.datasets[0], 'DATASET'))}" if len(evaluation.datasets) > 1 else ""
    source = shlex.quote(f"{typed_url(evaluation.url)}#{typed(evaluation.name, 'RUN')}")
    return f"Which differences are real: tiebreak compare {source}{of_dataset}{with_rope}\n"
