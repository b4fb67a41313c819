"""``tiebreak show``: one run as far as it has come, from the store alone."""

import shlex
from functools import partial
from typing import Any

import click

from tiebreak.cli.measuring import find_run, store_option, typed
from tiebreak.cli.options import Output, format_option, help_option, html_option, raw_option


@click.command("show", params=[store_option, format_option, raw_option, html_option])
@click.argument("run", metavar="RUN")
@help_option
def show_command(run: str, store: str | None, **options: Any) -> None:
    """Show how far RUN has come: means, failures, warnings.

    It needs neither the data nor the study, and may be asked while the run is in progress. With --format csv it writes all
    scores, which 'tiebreak compare' reads, and with --html a page to send: all metrics compared by the study's rope, and the
    curves of predictions that were kept.
    """
    from tiebreak.evaluation.evaluate import read_evaluation
    from tiebreak.views.evaluation import RUN
    from tiebreak.views.report.evaluation import report

    output = Output.of(options)
    url, name = find_run(run, store)
    evaluation = read_evaluation(url, name or None)
    typed_url = evaluation.url.replace("***", "PASSWORD")
    rope, end = evaluation.record.settings.get("rope") or 0.0, ""
    if evaluation.n_done + evaluation.n_failed < evaluation.n_cells:
        study = str(evaluation.record.settings.get("study", "STUDY"))
        named = f"--store {shlex.quote(typed_url)} --name {typed(evaluation.name, 'RUN')}"
        end = f"To go on: tiebreak run {typed(study, 'STUDY')} {named}\n"
    elif len(evaluation.models) > 1 and evaluation.n_done:
        with_rope, dataset = f" --rope {shlex.quote(str(rope))}" if rope else "", typed(evaluation.datasets[0], "DATASET")
        of_dataset = f" --dataset {dataset}" if len(evaluation.datasets) > 1 else ""
        source = typed(f"{typed_url}#{evaluation.name}", "STORE#RUN")
        end = f"Which differences are real: tiebreak compare {source}{of_dataset}{with_rope}\n"
    output.show(evaluation, view=RUN, end=f"\n{end}")
    output.report(partial(report, evaluation, settings={"rope": rope}))
