"""Names that say what a column holds: one table of them, compared without case, blanks, `_`, `-` and a plural s."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from shlex import quote

from tiebreak.errors import Advice, InvalidParameterError, UnclearSourceError
from tiebreak.printable import printable
from tiebreak.scores.vocabulary import look_up, quoted

ALIASES: dict[str, str] = {
    "model": """model model_name model_id system method algorithm algo approach estimator classifier regressor learner learner_id
        framework detector generator arm candidate wflow_id forecaster ranker retriever""",
    "dataset": "dataset dataset_name data_set task task_name subtask benchmark problem unique_id",
    "repeat": "repeat repetition rep id2 cutoff",
    "fold": "fold cv_fold fold_index fold_id fold_no fold_number test_fold outer_fold cv",
    "split": "split iteration resample iter resampling split_index split_id",
    "seed": "seed random_state random_seed",
    "run": "run trial run_index",
    "epoch": "epoch attempt sample sample_index",
    "time": "time period date timestamp ds",
    "item": """item item_id example_id question_id doc_id sample_id instance_id problem_id qid query_id prompt_id image_id case_id
        example question query task_id instance instruction prompt image case user_input input id index""",
    "cluster": "cluster cluster_id group document passage patient template",
    "weight": "weight sample_weight",
    "judge": "judge judge_score judge_label judge_rating llm_judge model_score",
    "human": "human human_score human_label human_rating human_judgement human_judgment expert expert_score",
    "truth": "y_true truth true_label label target actual ground_truth gold y_test y",
    "prediction": "y_pred prediction predicted pred y_hat yhat predicted_label y_score y_prob",
    "metric": "metric metric_name measure",
    "score": "score value correct is_correct test_score estimate result metric_value",
    "n_train": "n_train train_size",
    "n_test": "n_test test_size",
    "test_set": "test_set",
}
"""What a column may hold, and the names that say so, the first and the own one of which is the most certain."""

UNITS = ("dataset", "repeat", "fold", "split", "seed", "time")
"""Parts of the name of a row that is no item, in the order in which a row is named."""

_WEAK = frozenset(
    (
        "index",
        "id",
        "input",
        "prompt",
        "user_input",
        "instruction",
        "query",
        "image",
        "case",
        "task_id",
        "instance",
        "date",
        "timestamp",
        "ds",
    )
)
"""Names that tables of other units have too: a column so called counts only where nothing else tells the rows apart."""

_PREFIX = re.compile(r"^(params?|config|tags|metrics|hyperparameters|attributes|summary)[./]|^params_", re.IGNORECASE)
"""In front of a name, as trackers of experiments write it: params.fold, metrics.accuracy."""


def plain(name: str) -> str:
    """Name without case, blanks, `_`, `-`, `.` and a plural s, and without the prefix of a tracker of experiments."""
    word = re.sub(r"[\s_.\-]+", "", _PREFIX.sub("", name).casefold())
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_WORDS = {role: {plain(name): place for place, name in enumerate(names.split())} for role, names in ALIASES.items()}


def role_of(name: str) -> str:
    """Part that a column of this name holds, by its name alone; "" for any other."""
    word = plain(name)
    return next((role for role, words in _WORDS.items() if word in words), "")


_NAMING = frozenset(("model", "dataset", "repeat", "fold", "split", "seed", "run", "epoch", "item", "cluster", "metric"))
"""Parts that are names or keys."""


def names_something(name: str) -> bool:
    """True for a column of names or keys, whose cells are kept as they are typed."""
    return role_of(name) in {*_NAMING, "time"}


def names_items(names: Iterable[str]) -> bool:
    """True for columns of a table of items: one of them names the items, and none a fold."""
    roles = {role_of(name) for name in names if not is_weak(name)}
    return "item" in roles and roles.isdisjoint(("fold", "split"))


def find_roles(
    names: Sequence[str],
    source: str,
    given: Mapping[str, str],
    metric: str | None,
    is_text: Mapping[str, bool],
    fractions: Container[str] = (),
) -> dict[str, list[str]]:
    """Columns by what they hold; several only where the caller says so.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    source : str
        In messages.
    given : mapping of str to str
        What the caller says: columns by what they hold, several of a model parted by commas.
    metric : str, optional
        The metric that is asked for; a column of this name holds its scores and nothing else.
    is_text : mapping of str to bool
        True for columns of words, of which there are several.
    fractions : container of str
        Columns of numbers that are not whole: these name nothing.

    Raises
    ------
    UnclearSourceError
        Two columns claim one part.
    """
    roles = {role: _columns_given(role, text, names) for role, text in given.items()}
    taken = {column for columns in roles.values() for column in columns}
    is_long = any(plain(name) in _WORDS["score"] or name == metric for name in names)
    for role, words in _WORDS.items():
        if role in roles:
            continue
        claims = [name for name in names if name not in taken and name != metric and plain(name) in words]
        if role in _NAMING:
            claims = [name for name in claims if name not in fractions]
        if role == "model" and not any(name.strip().casefold() == "model" for name in claims):
            claims = [name for name in claims if is_text.get(name, True)] or (claims if is_long else [])
        if role in ("dataset", "truth") and len(claims) > 1:
            claims = [name for name in claims if is_text.get(name, True)] or claims
        if claims:
            roles[role] = [_strongest(role, claims, words, source)]
    return roles


def is_weak(name: str) -> bool:
    """True for a name that says little: an id may number anything."""
    return plain(name) in _WEAK_WORDS


_WEAK_WORDS = frozenset(map(plain, _WEAK))


def column_advice(role: str, column: str) -> Advice:
    """Words by which a caller says what a column holds."""
    return Advice(f"tb.read_scores(..., columns={{{role!r}: {column!r}}})", typed=f"--column {role}={quote(column)}")


def where_advice(column: str, value: str) -> Advice:
    """Words by which a caller keeps the rows with one value in a column."""
    return Advice(f"tb.read_scores(..., where={{{column!r}: {value!r}}})", typed=f"--where {quote(column)} {quote(value)}")


def _columns_given(role: str, text: str, names: Sequence[str]) -> list[str]:
    if role not in ALIASES:
        raise InvalidParameterError(
            f"a column holds one of {quoted(list(ALIASES), 30)}; got {role!r}. Write ",
            column_advice("model", "my column"),
            ".",
            about="columns",
        )
    if text in names:
        return [text]
    return [names[look_up(each.strip(), names, "column")] for each in text.split(",")]


def _strongest(role: str, claims: Sequence[str], words: Mapping[str, int], source: str) -> str:
    """The column that is called like the part itself, or the only one; of items the one whose name says most."""
    by_rank: dict[int, list[str]] = {}
    for name in claims:
        by_rank.setdefault(words[plain(name)], []).append(name)
    best = by_rank[min(by_rank)]
    if len(best) == 1 and (len(claims) == 1 or min(by_rank) == 0 or role in ("item", "score", "truth", "dataset", "fold")):
        return best[0]
    shown = [printable(name) for name in (best if len(best) > 1 else claims)]
    raise UnclearSourceError(
        f"{source} has the columns {quoted(shown)}, and each may be the {role}. Call the one that is meant {role!r}, or say it: ",
        column_advice(role, shown[0]),
        ".",
    )
