"""``tiebreak audit``: whether the data and splits of a study are plausible, before anything is measured."""

from functools import partial
from typing import Any

import click

from tiebreak.cli.measuring import error_of_study
from tiebreak.cli.options import Output, format_option, help_option, html_option, plots_option, raw_option
from tiebreak.cli.process import EXIT_BROKEN, EXIT_OK, emit
from tiebreak.errors import DataError, InvalidParameterError, UnknownNameError

EPILOG = """\b
Examples:
  tiebreak audit study.toml
  tiebreak audit study.toml --deep --plots figures
  tiebreak audit study.toml --fail-on error --format markdown
"""


@click.command(
    "audit",
    epilog=EPILOG,
    params=[
        click.Option(["--deep"], is_flag=True, help="Look for near copies of test rows too."),
        click.Option(
            ["--fail-on"],
            type=click.Choice(("warning", "error")),
            help="Exit code 1 if there is a finding as grave as that, or graver.",
        ),
        format_option,
        raw_option,
        plots_option,
        html_option,
    ],
)
@click.argument("study", metavar="STUDY")
@help_option
@click.pass_context
def audit_command(context: click.Context, /, study: str, deep: bool, fail_on: Any, **typed: Any) -> None:
    """Check whether the data and splits of STUDY are plausible, representative, and like the real use.

    Nothing is measured. But a study file is code, as what it names is imported and its models are made: use only those
    that you would run as a program. Beside the columns that 'tiebreak run' uses, [data] may say time = "COLUMN": when
    each row was known.
    """
    from tiebreak.audits.audit import audit_dataset
    from tiebreak.plan.data import check_dataset, find_task
    from tiebreak.plan.models import name_models
    from tiebreak.study_file import read_study
    from tiebreak.views.report.document import report

    read, audits = read_study(study), []
    output = Output.of(typed, [study])
    output.check_single(len(read.datasets), "audits", "Leave it out.")
    asked = {"metric": read.scoring, "deep": deep, "rng": read.seed}
    for name, data in read.datasets.items():
        try:
            dataset = check_dataset(data.X, data.y, name=name, groups=data.groups)
            task = find_task(name_models(read.models), dataset.y)
            audits.append(audit_dataset(dataset, read.cv, time=data.time, task=task, **asked))
        except (DataError, InvalidParameterError, UnknownNameError) as error:
            if error.about == "time":
                of = f"data.{name}" if name else "data"
                raise InvalidParameterError(f"{read.file}: {of}.time = {data.time.name!r}: {error}") from error
            raise error_of_study(read, error) from error
    for n, audit in enumerate(audits, 1):
        emit("\n" if n > 1 else "")
        output.show(audit)
        output.draw(audit, *([f"dataset-{n}"] if len(audits) > 1 else []))
    output.report(partial(report, *audits))
    failed = fail_on is not None and any(audit.at_least(fail_on) for audit in audits)
    context.exit(EXIT_BROKEN if failed else EXIT_OK)
