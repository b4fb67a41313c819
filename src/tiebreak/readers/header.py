"""Names that say what a column holds: one table of them, compared without case, blanks, `_`, `-` and a plural s."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import eq, gt, or_
from shlex import quote

from tiebreak.errors import Advice, InvalidParameterError, UnclearSourceError
from tiebreak.printable import printable
from tiebreak.readers.files import refuse
from tiebreak.readers.tables import SourceTable, Words, has_fractions, is_numeric
from tiebreak.scores.metric import bare_name, full_name, has_direction, without_part
from tiebreak.scores.vocabulary import look_up, quoted

ALIASES: dict[str, str] = {
    "model": """model model_name model_id system system_name method method_name algorithm algorithm_name algo alg_name approach
        estimator estimator_name classifier classifier_name regressor learner learner_id framework scheme pipeline flow_name
        detector generator arm candidate wflow_id forecaster ranker retriever agent llm""",
    "dataset": """dataset dataset_name dataset_id data_name data_set task task_name subtask benchmark problem unique_id series
        series_id env env_id env_name environment game competition competition_id""",
    "repeat": "repeat repetition rep id2 cutoff",
    "fold": """fold cv_fold cv_cycle fold_index fold_idx fold_id fold_no fold_num fold_number fold_year test_fold outer_fold cv
        kfold fold_iteration kfold_iteration cv_iteration""",
    "split": "split cv_split iteration resample iter resampling split_index split_id",
    "seed": "seed random_state random_seed",
    "run": "run trial run_index",
    "epoch": "epoch attempt sample sample_index completion_id step steps global_step training_iteration",
    "time": "time period date timestamp ds",
    "item": """item item_id example_id question_id segment_id seg_id doc_id sample_id instance_id problem_id qid query_id
        prompt_id image_id case_id utterance_id utt_id utt utterance request_id conversation_id dialogue_id sentence_id text_id
        sent_id pair_id video_id user_id participant_id participant uuid example question query task_id instance
        instruction prompt image case user_input row_id row_index input id idx index""",
    "cluster": "cluster cluster_id group document passage patient template",
    "weight": "weight sample_weight",
    "judge": "judge judge_score judge_label judge_rating llm_judge model_score",
    "human": "human human_score human_label human_rating human_judgement human_judgment expert expert_score",
    "truth": """y_true truth true_label true_class label target actual actual_label actual_class actual_value true ground_truth
        gold gold_label gt gt_label label_gt label_true y_test class outcome gold_standard gold_answer expected
        expected_answer expected_label expected_output reference reference_answer reference_label answer_key correct_label
        correct_answer observed obs y_real real_value y""",
    "prediction": """y_pred prediction predicted pred y_hat yhat predicted_label pred_label predicted_class pred_class
        predicted_value y_score y_prob""",
    "metric": "metric metric_name measure variable scoring",
    "score": "score value correct is_correct is_resolved test_score estimate result metric_value measurement",
    "n_train": "n_train train_size",
    "n_test": "n_test test_size",
    "test_set": "test_set",
}
"""What a column may hold, and the names that say so, the first and the own one of which is the most certain."""

UNITS = ("dataset", "repeat", "fold", "split", "seed", "time")
"""Parts of the name of a row that is no item, in the order in which a row is named."""

_NAMING = frozenset("model dataset repeat fold split seed run epoch item cluster metric".split())
"""Parts that are names or keys."""

WEAK = frozenset(
    """index id idx input prompt userinput instruction query image case taskid instance rowid rowindex date timestamp
    ds""".split()
)
"""Plain names that tables of other units have too: a column so called counts only where nothing else tells the rows apart."""

_TRUTH = re.compile(
    r"(?i:^(actual|true)[ _.](?!pos|neg|rate)[^\W_]+$|[ _.](actual|true|truth)$)|^(Actual|True)(?!Pos|Neg)[A-Z][a-z]+$"
)
"""Names of a column of the truth of something: "Actual Price", "survived_true", "TrueAge"; and not of true positives."""

CLASS = re.compile(r"(?i)^(?!(model|method|algo|algorithm|dataset|task)[ _.]).*[ _.](labels?|gold|target)$")
"""Names of a column of classes: majority_label; of shares the same may be a model, such as one called pseudo_label."""

TARGETS = frozenset(
    """survived churn churned exited attrition fraud fraudulent spam purchased converted clicked subscribed readmitted died
    deceased mortality diagnosis disease stroke diabetes malignant approved defaulted income price saleprice salary species rating
    """.split()
)
"""Words of names of what people predict, as public data call it: such a column is the truth more likely than a model."""

CHANCES = frozenset("prob proba probability probabilities probs".split())
PREDICTED = CHANCES | frozenset("pred preds prediction predictions predicted yhat logit logits".split())
"""Words of names of columns of probabilities, and of whatever a model predicts."""
ANSWERS = frozenset("answer output response reply completion generation".split())
"""Words of names of what a model says, be it yes and no, which are neither right nor wrong."""
GRADES = frozenset("correct incorrect wrong right hit match passed em acc accuracy".split())
"""Words of names of columns that say how good a prediction or an answer is."""

EXAMPLE_ID = re.compile(
    r"(?i:^(?!(.*[\W_])?(boot(strap)?|resample|replicate|permutation|draw|run|trial|iter(ation)?|seed|experiment|config|class|label"
    r"|category)[\W_]?idx?$)).*([a-z](ID|Id)$|(?i:[ _](id|idx)$))"
    r"|(?i:^(patient|document|passage|user|smiles|wav|clip)$)"
    r"|(?i:^((image|img|audio|case|sample)[ _]?)?(file|path|(file|image|img|case|sample)[ _]?(name|path))$)"
)
"""Names of a column that numbers examples, PassengerId, customer_id, pair_idx, and no runs or classes, or of what may have a row
each, such as a file."""

_PREFIX = re.compile(
    r"^(params?|parameters|config|tags|metrics|scores?|results?|hyperparameters|attributes|summary|data|feedback|inputs|outputs)[./]"
    r"|^(params|key)_",
    re.IGNORECASE,
)
"""In front of a name, as trackers of experiments, of prompts and Weka write it: params.fold, data.correct, Key_Fold."""


def plain(name: str) -> str:
    """Name without case, blanks, `_`, `-`, `.` and a plural s, and without the prefix of a tracker of experiments."""
    word = re.sub(r"[\s_.\-]+", "", _PREFIX.sub("", name).casefold())
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_WORDS = {role: {plain(name): place for place, name in enumerate(names.split())} for role, names in ALIASES.items()}


def role_of(name: str) -> str:
    """Part that a column of this name holds, by its name alone; "" for any other."""
    word = plain(name)
    return next((role for role, words in _WORDS.items() if word in words), "")


def names_something(name: str) -> bool:
    """True for a column of names or keys, whose cells are kept as they are typed."""
    return role_of(name) in {*_NAMING, "time"}


def names_answers(name: str) -> bool:
    """True for a column of what a model says, by its name: response, gpt4_answer; and not for answer_correct."""
    words = words_in(name)
    return not ANSWERS.isdisjoint((*words[:1], *words[-1:])) and GRADES.isdisjoint(words)


def names_predictions(name: str) -> bool:
    """True for a column of what a model predicts, by its name: pred, svm_pred, predicted_price."""
    words = words_in(name)
    return role_of(name) == "prediction" or not PREDICTED.isdisjoint((*words[:1], *words[-1:]))


# --- names that say what kind of number stands in a column -------------------------------------------------------------------

MEANS = frozenset("mean avg ave average median".split())
SPREADS = {
    **dict.fromkeys("std sd stdev deviation".split(), "sd"),
    **dict.fromkeys("se sem stderr".split(), "se"),
    **dict.fromkeys("ci ci95 95ci".split(), "ci"),
}
"""Words for what stands beside a mean: a standard deviation, a standard error, half of a 95 % interval."""

SUMS = MEANS | frozenset(
    """ci iqr range std sd stdev deviation stderr variance total subtotal overall summary sum rank ranks win wins gmean geomean
    macroavg microavg pval pvals pvalue pvalues critical improvement ø μ σ mittelwert durchschnitt mittel gesamt summe
    improv moyenne médiane promedio mediana média gemiddelde medelvärde średnia ortalama среднее 平均 平均值 均值 평균""".split()
)
WHOLES = frozenset(
    "all global aggregate aggregated combined pooled macro micro time runtime latency param params parameters flops".split()
)
"""Words of names of rows that sum up the others, or say how large and slow models are, which may also be those of a model."""

SUM_STEMS = ("p-val", "p_val", "p val", *(word for word in SUMS if not any(each in word for each in SUMS - {word})))
"""Texts one of which each name of a sum has in it, so that a million names without any need not be looked at one by one."""
_BESIDE_SUMS = frozenset(
    """s sec seconds ms min h m b g fit train training inference
    cv of dev standard arith arithmetic geometric geo harmonic macro micro weighted grand relative column row tie ties loss
    losses count number no 95 interquartile friedman wilcoxon nemenyi difference over across all global datasets tasks""".split()
)
"""Words of names that sum up the other rows or columns: one of the first, and nothing but these and metrics ("Avg. accuracy")."""

_TIMES = frozenset("time times seconds sec runtime duration latency wallclock elapsed".split())
_ENDS = (
    MEANS
    | SPREADS.keys()
    | frozenset(
        "var variance rank diff difference delta δ gain improvement gap ratio frac fraction proportion volume area".split()
    )
)
_BESIDE = frozenset(
    """step index epoch size count support param parameter token cost classe instance feature sample row length pvalue order
    timestep frame episode total missing
    level flop gflop mac memory mem mb gb year threshold epsilon lambda severity noise snr db temperature prevalence imbalance
    balance class agreement agree difficulty hardness entropy confidence similarity importance popularity coverage sparsity skew
    skewness kurtosi dimensionality contamination missingness version word character char tp fp tn fn df
    len line doc page user position chapter turn hop depth t ir prior density width degree radius bandwidth lag horizon window
    budget shot
    """.split()
)
PARAMETERS = frozenset("k n c d h m p alpha beta gamma".split())
"""Names of a parameter or a count beside longer ones, and of models beside their like."""

_STATISTIC = re.compile(
    r"n_\w+|num_\w+|(is|has)_(?!correct)\w+|#_?\w*|column_\d+|.*__(min|max)|(.*_)?p_?val(ue)?|.*_stat(istic)?|.*standard_(error|deviation)(_.*)?"
    r"|.*(±|\+/_).*|p|(cohen|hedge)\W?s?_?[dg]|effect_size|.+_(costs?|tokens?|price|length)|(asymp|conf|ci)_(lower|upper|low|high)(_(cl|ci))?|(lower|upper)_(cl|ci|bound|limit)|.+_\(?(seed|fold|repeat|run)_?\d+\)?"
    r"|(.*_)?(class|label|category)_?idx?|(base|pos|positive|missing|dropout|learning|sampling|sample)_rate"
)
"""What holds no score: a time; a mean, deviation or difference by the first or last word; a size or count; a test's statistic; a
part of the scores of a model."""


def words_in(name: str) -> list[str]:
    """Words of a name, without case."""
    return re.findall(r"[^\W_]+", name.casefold())


def is_no_score(name: str) -> bool:
    """True for the name of a column of times, counts, means, deviations or ranks, which are no scores of a model."""
    words = words_in(re.sub(r"(?i)\([^)]*\)|[_ ](low|high|lower|upper)$", "", name))
    return bool(
        not _TIMES.isdisjoint(words)
        or not _ENDS.isdisjoint((*words[:1], *words[-1:]))
        or (words and _BESIDE.issuperset(map(plain, words)))
        or _STATISTIC.fullmatch(re.sub(r"[\s.\-]+", "_", name.strip().casefold()))
        or EXAMPLE_ID.search(name)
        or re.match(r"(?i)(config|params?|(hyper)?parameters|tags)[./]", name)
        or any(each in {"ms", *_TIMES, *SPREADS} for each in re.findall(r"\(([^()]*)\)", name.casefold()))
    )


def sums_up(name: str, more: Collection[str] = ()) -> bool:
    """True for a name of a row or a column that sums up the others, such as a mean or a rank, or one of `more`.

    How many these are may stand behind it in brackets.
    """
    words = words_in(re.sub(r"(?i)(?<=\bp)[ _-](?=val(ue)?s?\b)|\((n ?= ?\d+|\d+ \w+)\)$", "", name))
    are_sums = [each in SUMS or each in more for each in words]
    return any(are_sums) and all(map(or_, are_sums, (each in _BESIDE_SUMS or is_metric(each) for each in words)))


def is_metric(name: str) -> bool:
    """True for a name of a metric, be it of a part of the data: test_acc, ROC."""
    return has_direction(name) or plain(without_part(name)) in ("roc", "err")


def metric_in(name: str) -> str:
    """The metric that a name of a column is, begins or ends with; "" for none."""
    return next((full_name(each) for each in (bare_name(name), *words_in(name)[:1], *words_in(name)[-1:]) if is_metric(each)), "")


# --- parts of columns ---------------------------------------------------------------------------------------------------------


def find_roles(table: SourceTable, named: Mapping[str, str], metric: str | None) -> dict[str, list[str]]:
    """Columns by what they hold; several only where the caller says so.

    `named` are columns by what the caller says that they hold, `metric` is the one asked for.

    Raises
    ------
    UnclearSourceError
        Two columns claim one part.
    """
    names = [*table.columns, *table.nested]
    roles: dict[str, list[str]] = {}
    for role, text in named.items():
        if role not in (*ALIASES, "datasets"):
            raise InvalidParameterError(
                f"a column holds one of {quoted(list(ALIASES), 30)}; got {role!r}. Write ",
                column_advice("model", "my column"),
                ".",
                about="columns",
            )
        roles[role] = [text] if text in names else [names[look_up(each.strip(), names, "column")] for each in text.split(",")]
    # the metric that is asked for is in its column, which holds nothing else
    free = [name for name in names if name != metric and not any(name in columns for columns in roles.values())]
    texts = {
        name
        for name, column in table.columns.items()
        if isinstance(column, Words) and len(column.names) > 1 and not is_numeric(column)
    } | table.nested.keys()
    is_long = any(plain(name) in _WORDS["score"] or name == metric for name in names)
    for role, words in _WORDS.items():
        claims = [
            name
            for name in free
            if plain(name) in words  # who judged may be a list of names
            and not (role == "judge" if name in table.nested else role in _NAMING and has_fractions(table.columns[name]))
        ]
        of_texts = [name for name in claims if name in texts]
        if role == "model" and not any(name.strip().casefold() == "model" for name in claims):
            claims = of_texts or [name for name in claims if is_long or plain(name).startswith("model")]
        elif role in ("dataset", "truth"):
            claims = of_texts or claims
        if claims and role not in roles:
            roles[role] = [_strongest(role, claims, words, table.name)]
    times = table.columns.get(roles["time"][0]) if "time" in roles.keys() - named.keys() else None
    if times is not None and has_fractions(times):
        values = table.numbers(roles["time"][0])
        are_of_one = any(map(is_metric, names)) and any(map(gt, values, values[1:]))  # model, whose periods stand in order
        is_own = len({*values}) == table.n_rows and ("model" in roles or are_of_one)
        if is_own or not roles.keys().isdisjoint({*UNITS, "item"} - {"time"}):
            del roles["time"]  # it took so long
    runs = table.columns.get(roles["run"][0]) if "run" in roles.keys() - named.keys() and "model" not in roles else None
    # runs that are no numbers and no words with a number are systems, as people who evaluate searches call them
    if isinstance(runs, Words) and len({re.sub(r"[\W\d_]+$", "", name) for name in runs.names}) > 1:
        roles["model"] = roles.pop("run")
    rest = [name for name in table.columns if not any(name in columns for columns in roles.values())]
    label = roles.get("truth", [""])[0] if "truth" not in named and "model" not in roles else ""
    # labels of which each row has another are names, and no classes
    is_own = label in texts and label in table.columns and len(table.words(label).names) == table.n_rows > 2
    if is_own and plain(label) in ("label", "target"):
        roles["model"] = roles.pop("truth")
    elif is_own and plain(label) in ("class", "outcome"):  # a row for each class, with its scores
        del roles["truth"]
    claims = [name for name in rest if _TRUTH.search(name) or (CLASS.search(name) and not has_fractions(table.columns[name]))]
    is_beside = not {"model", "score"} & roles.keys() and not any(map(metric_in, rest))
    if len(claims) == 1 and "truth" not in roles and (is_beside or "prediction" in roles):
        roles["truth"] = claims
    answers = [name for name in rest if names_answers(name)]
    if answers and "truth" in roles:  # of which a column may have a million
        classes = {*table.words(roles["truth"][0]).names}
        answers = [name for name in answers if classes.issuperset(table.words(name).names)]
    predicted = answers or [name for name in rest if names_predictions(name)]
    if (
        len(predicted) == 1
        and {"truth", "model"} <= roles.keys()
        and roles.keys().isdisjoint(("prediction", "score"))
        and not any(map(metric_in, rest))
    ):
        roles["prediction"] = predicted
    if roles.keys().isdisjoint((*UNITS, "item", "run")) and (
        not roles.keys().isdisjoint(("truth", "model")) or metric in names or any(map(is_metric, rest))
    ):
        numbers = [
            name
            for name in (*rest, *roles.get("cluster", ()))
            if EXAMPLE_ID.search(name) and _numbers_examples(table, name, roles.get("model", [""])[0])
        ]
        if len(numbers) == 1:
            roles["item"] = numbers
    if "name" in names and "model" not in roles and {"item", "metric", "score"} <= roles.keys():
        roles["model"] = ["name"]  # as PyTerrier's experiments write it, query by query
    return roles


def _numbers_examples(table: SourceTable, name: str, model: str) -> bool:
    """True for a column in which each example stands once for each model; what differs in all rows numbers runs of models."""
    texts = table.words(name).texts()
    models = table.words(model).texts() if model in table.columns else texts  # there may be none
    differ = 1 < table.n_rows == len({*zip(models, texts, strict=True)})
    return differ and (model not in table.columns or len({*texts}) < table.n_rows)


def _strongest(role: str, claims: Sequence[str], words: Mapping[str, int], source: str) -> str:
    """The column that is called like the part itself, or the only one; of items the one whose name says most."""
    rank = min(words[plain(name)] for name in claims)
    best = [name for name in claims if words[plain(name)] == rank]
    best = [name for name in best if not name.casefold().endswith("s")] or best  # a plural counts them
    if len(best) == 1 and (len(claims) == 1 or rank == 0 or role in ("item", "score", "truth", "dataset", "fold")):
        return best[0]
    shown = [printable(name) for name in (best if len(best) > 1 else claims)]
    raise UnclearSourceError(
        f"{source} has the columns {quoted(shown)}, and each may be the {role}. Call the one that is meant {role!r}, or say it: ",
        column_advice(role, shown[0]),
        ".",
    )


def column_advice(role: str, column: str, call: str = "read_scores") -> Advice:
    """Words by which a caller says what a column holds."""
    return Advice(f"tb.{call}(..., columns={{{role!r}: {column!r}}})", typed=f"--column {role}={quote(column)}")


def where_advice(column: str, value: str) -> Advice:
    """Words by which a caller keeps the rows with one value in a column."""
    return Advice(f"tb.read_scores(..., where={{{column!r}: {value!r}}})", typed=f"--where {quote(column)} {quote(value)}")


MODELS_ADVICE = Advice("models=['A', 'B']", typed="--models A --models B")
"""Words by which a caller says which columns are models; their names are the caller's to say, as others look alike."""


# --- columns of battles -----------------------------------------------------------------------------------------------------

SIDES = ("model_a", "model_b", "winner")
"""What columns of battles hold."""

_RIVALS = "model system player assistant candidate generator method agent llm bot team".split()
CALLED = (*(f"{each}*" for each in _RIVALS), *(f"*{each}" for each in _RIVALS), "model*name", "modelname*", "response*model")
"""Plain names of the columns of two models that meet, with a star for the mark that tells them apart."""

MARKS = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("x", "y"), ("white", "black"))
PAIRS: dict[tuple[str, ...], tuple[str, str]] = {
    **{tuple(called.replace("*", mark) for mark in marks): marks for called in CALLED for marks in MARKS},
    **{pair: pair for pair in (MARKS[0], MARKS[2], MARKS[5])},
    ("model", "opponent"): ("win", "loss"),
}
"""Plain names of these two columns, and the words by which a decision names either: model_a and model_b, left and right."""

WON = (
    ("winner", "loser"),
    ("winningmodel", "losingmodel"),
    ("chosenmodel", "rejectedmodel"),
    ("preferredmodel", "rejectedmodel"),
)
"""Plain names of the columns of two models of which the first won."""

DECISIONS = """winner winningmodel winnermodel modelwinner preferredmodel preference preferred better bettermodel verdict vote
    decision judgement judgment choice""".split()
"""Plain names of the column that says who won, the most certain first."""

FLAGS = ("winnermodela", "winnermodelb", "winnertie")
"""Plain names of columns of which one is 1, in the place of a winner, as the data of LMSYS's arena have them."""

JUDGED = (("model1", "model2", "g1winner", "g2winner"), ("model", "judge", "games"))
"""Those of FastChat (MT-Bench) and Arena-Hard, a row for two games or more: they are written anew, a row for each."""


def by_word(names: Iterable[str]) -> dict[str, str]:
    """Names by their plain form, and by their own without case: games, too, is a name of its own."""
    own = [*names]
    return {name.strip().casefold(): name for name in own} | {plain(name): name for name in own}


def sides_of(names: Iterable[str]) -> dict[str, str]:
    """Columns of battles by what they hold, model_a, model_b and winner, as far as their names say it."""
    own = {plain(name): name for name in names}
    sides = next((pair for pair in (*PAIRS, *WON) if pair[0] in own and pair[1] in own), ())
    winner = next((word for word in (sides[:1] if sides in WON else DECISIONS) if word in own), "")
    return {part: own[word] for part, word in zip(SIDES, (*sides, winner), strict=False) if word} if sides else {}


def battle_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Columns by which a table is one of battles; empty for others."""
    own = by_word(names)
    sides = sides_of(own.values())
    if sides.keys() >= {*SIDES}:
        return tuple(dict.fromkeys(sides.values()))
    return next((tuple(map(own.__getitem__, each)) for each in (FLAGS, *JUDGED) if own.keys() >= {*each}), ())


def refuse_battles(table: SourceTable) -> None:
    """Refuse a table whose rows say which of two models was preferred, where scores are read."""
    names = [*table.columns, *table.nested]
    sides = tuple(sides_of(names).values())[:2]
    are_numbers = any(is_numeric(table.columns[name]) for name in sides if name in table.columns)
    are_models = tuple(map(plain, sides)) in (("modela", "modelb"), ("model1", "model2"), MARKS[5])
    if are_numbers or not (found := battle_columns(names) or (sides if are_models else ())):
        return
    truths = [{*table.words(name).names} for name in table.columns if role_of(name) == "truth"]
    said = [table.words(name).texts() for name in sides if name in table.columns]
    # two models that meet have different names, and predictions agree now and then
    are_classes = len(said) == 2 and any(map(eq, *said)) and any(each.issuperset(chain(*said)) for each in truths)
    if not are_classes:
        raise refuse(
            table.name,
            f"it has the columns {quoted(found)}, so its rows are battles, not scores.",
            "Rate the models, named in columns model_a and model_b: tiebreak rate FILE, or tb.rate(source).",
        )
