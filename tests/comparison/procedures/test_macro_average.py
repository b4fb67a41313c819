"""The average over several tasks of items, with each task's own verdict beside it."""

import numpy as np
import pandas as pd
import pytest

import tiebreak as tb
from tiebreak.errors import DataError

SIZES = {"arc": 200, "gsm8k": 60, "mmlu": 500}


def table(rng: np.random.Generator, sizes: dict[str, int] = SIZES, column: str = "task") -> pd.DataFrame:
    """Right and wrong answers of three models to the questions of several tasks, numbered anew in each."""
    rows = []
    for task, n in sizes.items():
        hard = rng.normal(size=n)
        for model, skill in (("large", 0.5), ("medium", 0.1), ("small", 0.0)):
            right = hard + rng.normal(size=n) < skill
            rows += [(task, number, model, int(each)) for number, each in enumerate(right)]
    return pd.DataFrame(rows, columns=[column, "question", "model", "score"])


def by_hand(frame: pd.DataFrame, first: str, second: str) -> tuple[pd.Series, float, float, float]:
    """Differences of each task, their mean, its standard error and Satterthwaite's degrees of freedom."""
    wide = frame.pivot_table(index=["task", "question"], columns="model", values="score")
    of_task = (wide[first] - wide[second]).dropna().groupby("task")
    v = of_task.var() / of_task.size() / of_task.ngroups**2
    return of_task.mean(), of_task.mean().mean(), np.sqrt(v.sum()), v.sum() ** 2 / (v**2 / (of_task.size() - 1)).sum()


def test_macro_average_and_tasks_are_those_by_hand(rng: np.random.Generator) -> None:
    """To 1e-12: the mean of the tasks' differences, the stratified error, and each task's own difference."""
    frame = table(rng)
    found = tb.compare(frame)
    assert found.method.name == "macro-average"
    tasks, mean, error, df = by_hand(frame, "large", "small")
    pair = found.pair("large", "small")
    assert (pair.difference, pair.standard_error, pair.df) == (
        pytest.approx(mean, rel=1e-12),
        pytest.approx(error, rel=1e-12),
        pytest.approx(df, rel=1e-12),
    )
    rows = found.slices().to_frame().query("first == 'large' and second == 'small'")
    assert dict(zip(rows["slice"], rows["difference"], strict=True)) == {
        task: pytest.approx(value, rel=1e-12) for task, value in tasks.items()
    }
    values = found.ranking.set_index("model")["mean"]
    assert values["medium"] == pytest.approx(frame[frame.model == "medium"].groupby("task").score.mean().mean(), rel=1e-12)


def test_a_task_is_judged_by_the_procedure_of_its_items(rng: np.random.Generator) -> None:
    """Right and wrong: Tango's interval, as for the same task alone, at the level of pairs times tasks."""
    frame = table(rng)
    row = tb.compare(frame, models=["large", "small"]).slices().to_frame().query("slice == 'gsm8k'").iloc[0]
    alone = tb.compare(frame[frame.task == "gsm8k"], models=["large", "small"], alpha=0.05 / 3)
    assert alone.method.name == "tango"
    assert (row.interval_low, row.interval_high) == pytest.approx((alone.pairs.interval_low[0], alone.pairs.interval_high[0]))


def test_the_page_says_what_the_answer_is_about(rng: np.random.Generator) -> None:
    """These very tasks with the same weight, and a table by task."""
    text = " ".join(tb.compare(table(rng)).to_text(columns="all").split())
    assert "further questions of these very tasks, each task with the same weight" in text
    assert "Nothing is said of other tasks" in text
    assert "By task; a positive difference favours the first" in text


@pytest.mark.parametrize("column", ["task", "subtask", "benchmark"])
def test_tasks_are_told_by_their_column(column: str, rng: np.random.Generator) -> None:
    """By any of the names that the field has for it."""
    frame = table(rng, column=column)
    assert tb.compare(frame).method.name == "macro-average"
    assert tb.read_items(frame).tasks is not None


def test_one_task_is_compared_as_before(rng: np.random.Generator) -> None:
    """A column that names one task changes nothing."""
    frame = table(rng, {"arc": 80})
    assert tb.compare(frame).pairs.equals(tb.compare(frame.drop(columns="task")).pairs)
    with pytest.raises(DataError, match="is the mean over several tasks, and these questions are of one"):
        tb.compare(frame, method="macro-average")


def test_pooled_items_and_further_tasks_are_asked_for(rng: np.random.Generator) -> None:
    """Pooled, a large task counts more; over datasets, each task is one unit, with the same means."""
    frame = table(rng)
    pooled = tb.compare(frame, method="clustered-t").pair("large", "small")
    wide = frame.pivot_table(index=["task", "question"], columns="model", values="score")
    assert pooled.difference == pytest.approx((wide["large"] - wide["small"]).mean(), rel=1e-12)
    datasets = tb.compare(frame, method="wilcoxon")
    assert datasets.scores.datasets == ("arc", "gsm8k", "mmlu")
    assert datasets.pair("large", "small").differences.tolist() == pytest.approx(by_hand(frame, "large", "small")[0].tolist())


def test_missing_items_are_left_out_of_their_pair(rng: np.random.Generator) -> None:
    """Each pair by the items that both have; the page names the model that lacks some."""
    frame = table(rng)
    frame = frame.drop(frame[(frame.model == "small") & (frame.task == "gsm8k") & (frame.question < 20)].index)
    found = tb.compare(frame)
    _, mean, error, _ = by_hand(frame, "large", "small")
    pair = found.pair("large", "small")
    assert (pair.difference, pair.standard_error, pair.n_units) == (pytest.approx(mean), pytest.approx(error), 740)
    assert any(notice.code == "missing-splits" and "'small' lacks" in notice.text for notice in found.notices)


def test_a_model_without_a_task_is_refused_with_what_is_shared(rng: np.random.Generator) -> None:
    """Its average would be of other tasks than that of the others."""
    frame = table(rng)
    frame = frame[(frame.model != "small") | (frame.task != "mmlu")]
    with pytest.raises(DataError, match=r"'small' has no score of the task 'mmlu'.*All models share 'arc' and 'gsm8k'"):
        tb.compare(frame)


def test_epochs_are_averaged_within_items(rng: np.random.Generator) -> None:
    """Two answers to one question are one unit, so the answer is that of their means."""
    frame = table(rng)
    second = frame.assign(epoch=2, score=np.where(rng.random(len(frame)) < 0.2, 1 - frame.score, frame.score))
    both = pd.concat([frame.assign(epoch=1), second])
    means = both.groupby(["task", "question", "model"], as_index=False).score.mean()
    pair, alone = (tb.compare(each, metric="accuracy").pair("large", "small") for each in (both, means))
    assert (pair.difference, pair.interval_low, pair.interval_high) == pytest.approx(
        (alone.difference, alone.interval_low, alone.interval_high)
    )


def test_runs_are_crossed_with_the_items_of_all_tasks(rng: np.random.Generator) -> None:
    """The mean is that over tasks of all runs; runs that shift a model everywhere widen the error, tasks that differ do not."""
    frame = pd.concat([table(rng).assign(run=run) for run in range(4)])
    means = frame.groupby(["task", "question", "model"], as_index=False).score.mean()
    _, mean, error, _ = by_hand(means, "large", "small")
    found = tb.compare(frame)
    pair = found.pair("large", "small")
    assert pair.difference == pytest.approx(mean, rel=1e-12)
    assert pair.standard_error == pytest.approx(error, rel=0.2)
    eased = frame.assign(score=frame.score + 10.0 * ((frame.task == "arc") & (frame.model == "large")))
    assert tb.compare(eased, metric="points", lower_is_better=False).pair("large", "small").standard_error == pytest.approx(
        pair.standard_error, rel=1e-9
    )
    shifted = frame.assign(score=frame.score + np.where((frame.model == "large") & (frame.run == 0), 1.0, 0.0))
    assert tb.compare(shifted, metric="points", lower_is_better=False).pair("large", "small").standard_error > 2 * error
