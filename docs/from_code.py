"""Pages of the site that its build writes from the code, so that they cannot be out of date: the commands, and the methods.

``commands.md`` is what click prints for ``--help``. ``methods.md`` has the facts that every procedure carries, its formula from
``formulas.md``, and how often it was wrong from ``error-rates.csv``, which ``benchmarks/validity/methods.py`` writes for two
models, ``one_family.py`` beside it for more and ``worlds.py`` for tables that broke defaults before, with the share in which a
notice stood.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import click

import tiebreak as tb
from tiebreak.cli import COMMANDS
from tiebreak.cli.group import tiebreak
from tiebreak.comparison.procedures.procedure import Method

DOCS = Path(__file__).parent
WIDTH = 100


def write_pages(folder: Path) -> None:
    """Write all pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("commands", commands_page()), ("methods", methods_page()), ("columns", columns_page())):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


# --- commands ---------------------------------------------------------------------------------------------------------


def commands_page() -> str:
    """Help of every command."""
    parts = ["# All commands and options", "What `--help` prints. [Worked examples](../cli.md) are on a page of their own.", ""]
    for name in COMMANDS:
        for path, help_text in _helps(f"tiebreak {name}", tiebreak.get_command(click.Context(tiebreak), name)):
            parts += [f"## `{path}`", "", "```text", help_text, "```", ""]
    return "\n".join(parts)


def _helps(path: str, command: click.Command | None) -> Iterator[tuple[str, str]]:
    assert command is not None, path
    context = click.Context(command, info_name=path, terminal_width=WIDTH, max_content_width=WIDTH)
    yield path, command.get_help(context).rstrip()
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _helps(f"{path} {name}", command.get_command(context, name))


# --- columns ----------------------------------------------------------------------------------------------------------

_MEANINGS = {
    "model": "whose score it is",
    "dataset": "the dataset, or the task of an item",
    "repeat": "the repeat of a cross-validation",
    "fold": "the fold: k folds of each repeat, k at most 10, are taken to be k-fold cross-validation",
    "split": "the split, where it is no fold",
    "seed": "the random seed of a training",
    "run": "the run: of items one that answered them all, else a training",
    "epoch": "the answer, where an item was asked several times",
    "time": "the period: a number, a date, a month or a quarter",
    "item": "the item: an example, a question, a document",
    "cluster": "what items belong together",
    "weight": "the weight of an item",
    "judge": "what a judge says of an answer",
    "human": "what a person says of an answer",
    "truth": "the class or number that was to be predicted; the other columns are then predictions",
    "prediction": "what the one model of a file predicts",
    "metric": "which metric the row is of",
    "score": "the score",
    "n_train": "training examples of the split",
    "n_test": "test examples of the split",
    "test_set": "the test set, where each model has its own",
}


def columns_page() -> str:
    """Names that columns may have, by what they hold."""
    from tiebreak.readers.header import ALIASES, CALLED, DECISIONS, MARKS, WON

    rows = [f"| `{role}` | {_MEANINGS[role]} | {', '.join(names.split())} |" for role, names in ALIASES.items()]
    listed = [", ".join(f"{first} and {second}" for first, second in pairs) for pairs in (MARKS, WON)]
    battles = _BATTLES.format(", ".join(CALLED).replace("*", "\\*"), *listed, ", ".join(DECISIONS))
    return "\n".join([_COLUMNS, "| part | holds | may be called |", "|---|---|---|", *rows, "", battles])


_COLUMNS = """# What may my columns be called?

Names of columns say what a column holds. They are compared without case, blanks, `_`, `-`, `.` and a plural s, and without
`params.`, `config.` and the like in front. A column of no such name is a metric where there is a column of models, and a
model where there is none; it is left aside where it does not matter, and the answer's method says so: `read: model =
framework, 16 datasets = task; not used: id`. Where two columns tell rows of one key apart, or a name says nothing, say it:

    tiebreak compare results.csv --metric auc --column model=framework --where calibrator platt
    tiebreak compare results.csv --metric auc --column model=model,calibrator

In Python `tb.read_scores("results.csv", columns={"model": "framework"}, where={"calibrator": "platt"})`. Names such as
`id`, `input` and `date` count only where nothing else tells the rows apart.
"""

_BATTLES = """## Right or wrong, and what a model says

1 and 0, true and false, pass and fail, ✓ and ✗ are marks. Yes and no (y and n) are marks in a column such as `correct` or
`gpt_correct`; else they are what a model answers, and `--column truth=gold` says with what it is compared. Where a model has
classes and probabilities, `--metric accuracy` takes the ones and `--metric roc_auc` the others.

## Counts

A row for each model with `correct` (or n_correct, passed, successes, conversions; errors, wrong) and `n` (total, n_items, trials,
visitors): whole numbers, of a test set of each model's own, or of those named in a column `test_set`.

## Battles

`tiebreak rate` and `tb.read_battles` take two models and who won; names are compared as above, so `Model A` is `modela`.
The models: {}, where the star is {}; a and b; left and right; model and opponent. Or the winner and who lost: {}.

Who won: {}, and where there are two models result, outcome or label; the name of the model, the name of its column or the
mark in it (a, 1, left), or a tie. Instead of who won `wins_a`, `wins_b` and `ties` count battles. Other names are said:
`--column model_a=one --column model_b=two --column winner=who`.
"""


# --- methods ----------------------------------------------------------------------------------------------------------


def formulas() -> dict[str, str]:
    """Formula of each procedure by its name; a test asks for all of them."""
    parts = re.split(r"^## (\S+)\n", (DOCS / "formulas.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def error_rates() -> dict[str, list[dict[str, str]]]:
    """Rows of the measured error rates by procedure."""
    rates: dict[str, list[dict[str, str]]] = {}
    with (DOCS / "error-rates.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            rates.setdefault(row["procedure"], []).append(row)
    return rates


def methods_page() -> str:
    """Every procedure that `compare` knows, by the question that it answers."""
    methods, how, rates = tb.methods(), formulas(), error_rates()
    parts = [
        "# Methods",
        "",
        "`tb.compare` chooses the procedure that fits how the scores were made; `method=` takes another one by its name. Each",
        "answers one question, and its answer is about what it generalises to, no more. `tb.methods()` has the facts in Python.",
        "",
        "| method | unit | its answer is about |",
        "|---|---|---|",
        *(f"| [`{name}`](#{name}) | {each.unit} | {each.generalises_to} |" for name, each in methods.items()),
        "",
        "Measured error rates come from `benchmarks/validity/methods.py`: tables are drawn whose true difference is known, and",
        "each goes through `tb.compare` with a 95 % interval. *Misses* is the share of intervals that do not hold the true",
        "difference, 5 % where a method does what it says; *wrong* is the share of untrue verdicts (undecided never is). Rows of",
        "several models come from `benchmarks/validity/one_family.py`: there a table counts once any of its intervals misses, or",
        "any of its verdicts is wrong, at the level that `compare` gives all pairs. Tables that broke defaults before come from",
        "`benchmarks/validity/worlds.py`: *silent* is the share of wrong tables without a notice, *noticed* that of all tables",
        "with one, *decided* that of tables with a difference that is found. All of it:",
        "{download}`error-rates.csv <../error-rates.csv>`.",
        "",
    ]
    for name, each in methods.items():
        parts += [f"({name})=", "", f"## {name}", "", *_method(each, how.get(name, ""), rates.get(name, []))]
    return "\n".join(parts)


def _method(each: Method, formula: str, rates: list[dict[str, str]]) -> Iterator[str]:
    yield f"**Its answer is about** {each.generalises_to}; the unit is the {each.unit}."
    yield ""
    yield f"**When.** {each.reason[:1].upper()}{each.reason[1:]}."
    yield ""
    yield "**It assumes:**\n"
    yield from (f"- {line}" for line in each.assumptions)
    yield f"\n**Formula**\n\n{formula}\n"
    yield "Several pairs share alpha by `bonferroni`, unless `correction=` says otherwise."
    yield "\n<details><summary>Sources</summary>\n"
    yield from (f"- {line}" for line in each.references)
    yield "\n</details>"
    if not rates:
        return
    two = [row for row in rates if not _SEVERAL.match(row["data"])]
    worst = max(two, key=lambda row: float(row["misses"]))
    yield f"\n<details><summary>Measured: at most {worst['misses']} % of intervals miss ({worst['data']})</summary>\n"
    yield from _rates(two)
    if len(two) < len(rates):
        yield "\nOf several models, tables with any miss and any wrong verdict:\n"
        yield from _rates([row for row in rates if row not in two])
    yield "\n</details>\n"


def _rates(rows: list[dict[str, str]]) -> Iterator[str]:
    yield "| data | units | true difference | misses | wrong | silent | noticed | decided | tables |"
    yield "|---|---:|---|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        of_worlds = " | ".join(f"{row[name]} %" if row.get(name) else "" for name in ("silent", "noticed", "decided"))
        told = "| {data} | {units} | {truth} | {misses} % | {wrong} % ".format(**row)
        yield f"{told}| {of_worlds} | {row['tables']} |"


_SEVERAL = re.compile(r"\d+ models\b")
"""How the data of rows begin that are of a whole family, not of two models."""
