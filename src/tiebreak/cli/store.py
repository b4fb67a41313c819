"""``tiebreak runs``, ``show`` and ``store``: what a store holds, one of its runs, whether it is whole, and a copy of it."""

import shlex
from functools import partial
from typing import Any

import click

import tiebreak as tb
from tiebreak.cli.measuring import find_run, find_store, store_option, typed
from tiebreak.cli.options import Output, emit_page, format_option, help_option, html_option, raw_option
from tiebreak.cli.process import EXIT_BROKEN, emit, say
from tiebreak.printable import printable


@click.command("runs", params=[store_option, format_option, raw_option])
@help_option
def runs_command(store: str | None, **typed: Any) -> None:
    """List the runs of a store, the last one updated first."""
    from tiebreak.stores.sql import open_store
    from tiebreak.views.store import RUNS

    output = Output.of(typed)
    opened = open_store(find_store(store))
    output.show((opened.runs(), opened.url), view=RUNS)
    opened.close()


@click.command("show", params=[store_option, format_option, raw_option, html_option])
@click.argument("run", metavar="RUN")
@help_option
def show_command(run: str, store: str | None, **options: Any) -> None:
    """Show how far RUN has come: means, failures, warnings.

    It needs neither the data nor the study, and may be asked while the run is in progress. With --format csv it writes all
    scores, which 'tiebreak compare' reads, and with --html a page to send: all metrics compared by the study's rope, and the
    curves of predictions that were kept.
    """
    from tiebreak.views.evaluation import RUN
    from tiebreak.views.report.evaluation import report

    output = Output.of(options)
    url, name = find_run(run, store)
    evaluation = tb.read_evaluation(url, name or None)
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


_ADVICE = (
    "Put a backup of the store in its place, or delete the runs that are named, with tiebreak.SqlStore(URL).delete(NAME), and "
    "measure them again. Runs that are not named are whole."
)


@click.group("store")
@help_option
def store_command() -> None:
    """Look after a store: see that it is whole, copy it while it is in use.

    URL is such as sqlite:///runs.db; if not given: TIEBREAK_STORE.
    """


@store_command.command("check", short_help="Say what is not as it was written.")
@click.argument("url", metavar="[URL]", required=False)
@help_option
@click.pass_context
def check_command(context: click.Context, url: str | None) -> None:
    """Read everything in a store, and say what is not as it was written.

    Every row carries a hash, and runs count their rows, so that a changed or lost row is found. The exit code is 1 where
    something is damaged.
    """
    from tiebreak.views.store import check_page

    store = _opened(url)
    damages = store.check()
    emit_page(check_page(damages, 0 if damages else len(store.runs()), store.url))
    store.close()
    if damages:
        say(_ADVICE)
        context.exit(EXIT_BROKEN)


@store_command.command("backup", short_help="Copy a store while it is in use.")
@click.argument("url", metavar="[URL] FILE")
@click.argument("file", metavar="", required=False)
@help_option
def backup_command(url: str, file: str | None) -> None:
    """Copy a store in a file into FILE, as it is at one moment; runs in progress go on.

    The copy takes its name once it is whole and verified, and only its owner may read it. To restore it, stop what uses the
    store, and put the file in its place. A store in PostgreSQL is copied by pg_dump.
    """
    store, target = (_opened(None), url) if file is None else (_opened(url), file)
    store.backup(target)
    emit(f"{printable(target)} is a copy of {printable(store.url)}, every row verified.\n")
    store.close()


def _opened(url: str | None) -> Any:
    """The store in a database, which can be checked and copied."""
    return tb.SqlStore(find_store(url, "its URL, such as sqlite:///FILE,"))
