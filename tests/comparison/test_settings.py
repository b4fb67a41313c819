"""Settings that travel: with a saved answer, with the run of a study, and where several sources disagree."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import tiebreak as tb
from tests.comparison.tables import noisy
from tiebreak.errors import InvalidParameterError
from tiebreak.evaluation.evaluate import find_scorers, measure_plan
from tiebreak.plan.plan import make_plan

NAMES = ("a", "b", "c")
ASKED: dict[str, Any] = {
    "rope": "1%",
    "alpha": 0.1,
    "correction": "none",
    "method": "paired-t",
    "missing": "pairwise",
    "rng": 3,
}


def answer(**settings: Any) -> tb.Comparison:
    """Three models on ten splits."""
    sources = dict(zip(NAMES, noisy(0.80, 0.78, 0.75), strict=True))
    return tb.compare(sources, metric="accuracy", n_train=90, n_test=10, **settings)


def saved(path: Path, **settings: Any) -> str:
    """The file of an answer."""
    answer(**settings).to_json(path)
    return str(path)


def test_a_saved_answer_is_read_with_its_settings(tmp_path: Path) -> None:
    """All of them as they were asked, so that the same bytes are written again; a comparison itself brings them along, too."""
    path, one = tmp_path / "r.json", answer(**ASKED)
    one.to_json(path)
    assert {name: getattr(one.settings, name) for name in ASKED} == ASKED
    for source in (path, one, json.loads(path.read_text())):
        again = tb.compare(source)
        assert (again.settings, again.rope) == (one.settings, one.rope)
        assert again.pairs.equals(one.pairs)


@pytest.mark.parametrize(
    "settings", [{"family": "best", "rope": 0.01}, {"correction": "holm"}, {"baseline": "b", "correction": "bh"}]
)
def test_families_and_corrections_travel(settings: dict[str, Any], tmp_path: Path) -> None:
    """Also a stepwise one, as long as there is no rope; the same answer is written again."""
    path = saved(tmp_path / "r.json", **settings)
    again = tb.compare(path)
    assert {name: getattr(again.settings, name) for name in settings} == settings
    new, old = json.loads(again.to_json()), json.loads(Path(path).read_text())
    for part in ("settings", "resolved", "headline", "ranking", "pairs"):
        assert new[part] == old[part], part


def test_the_family_that_is_given_wins_over_what_was_saved(tmp_path: Path) -> None:
    """A baseline takes the place of the best, and the best that of a baseline with its correction; nobody can unset these."""
    best = saved(tmp_path / "best.json", family="best", rope=0.01)
    against = saved(tmp_path / "against.json", baseline="b", correction="none", rope=0.01)
    for path, asked, expected in (
        (best, {"baseline": "b"}, ("b", "pairs", None, 0.01)),
        (against, {"family": "best"}, (None, "best", None, 0.01)),
    ):
        found = tb.compare(path, **asked).settings
        assert (found.baseline, found.family, found.correction, found.rope) == expected
    with pytest.raises(InvalidParameterError, match=r'family="best" shares alpha .* does not go with correction='):
        tb.compare(best, correction="none")
    assert tb.compare(best, correction="none", family="pairs").correction == "none"


def test_given_settings_win_and_read_scores_leaves_them_behind(tmp_path: Path) -> None:
    """One by one."""
    path = saved(tmp_path / "r.json", **ASKED)
    other = tb.compare(path, rope=0.02, baseline="b")
    assert (other.settings.rope, other.settings.alpha, other.settings.baseline) == (0.02, 0.1, "b")
    plain = tb.compare(tb.read_scores(path))
    assert (plain.settings.rope, plain.settings.alpha, plain.settings.correction) == (0.0, 0.05, None)


def test_names_count_only_where_all_models_are_there(tmp_path: Path) -> None:
    """Without the baseline the rest still counts."""
    path = saved(tmp_path / "r.json", baseline="c", rope=0.01)
    assert tb.compare(path).settings.baseline == "c"
    without = tb.compare(path, models=["a", "b"])
    assert (without.settings.baseline, without.settings.rope) == (None, 0.01)


def test_sources_that_disagree_are_refused_unless_the_caller_decides(tmp_path: Path) -> None:
    """Both are named, with what they say; a seed is no disagreement."""
    one, two = saved(tmp_path / "one.json", rope=0.01, rng=1), saved(tmp_path / "two.json", rope=0.02, rng=2)
    with pytest.raises(
        InvalidParameterError, match=r"one.json.* was compared with rope 0.01 and .*two.json.* with 0.02. Say which"
    ):
        tb.compare(one, two)
    assert tb.compare(one, two, rope=0.03).settings.rope == 0.03
    same = saved(tmp_path / "same.json", rope=0.01)
    assert tb.compare(one, same).settings.rope == 0.01


@pytest.mark.parametrize(("key", "value"), [("rope", [1]), ("baseline", 3), ("rng", 0.5)])
def test_settings_of_another_kind_are_refused_with_the_place(key: str, value: object, tmp_path: Path) -> None:
    """A file that was edited by hand."""
    content = json.loads(answer().to_json())
    content["settings"][key] = value
    path = tmp_path / "r.json"
    path.write_text(json.dumps(content))
    with pytest.raises(tb.errors.DataError, match=rf"r.json: settings.{key}: Expected "):
        tb.compare(path)


@pytest.mark.slow
def test_the_run_of_a_study_brings_its_rope(tmp_path: Path) -> None:
    """Out of the store, and by `compare` of the evaluation."""
    url = f"sqlite:///{tmp_path}/runs.db"
    X = np.random.default_rng(0).normal(size=(40, 2))
    plan = make_plan({"nb": GaussianNB(), "dummy": DummyClassifier()}, X, (X[:, 0] > 0).astype(int), cv=4)
    evaluation = measure_plan(plan, find_scorers(plan, None), store=url, name="study", settings={"rope": 0.05})
    assert tb.compare(f"{url}#study").rope == 0.05
    assert tb.compare(f"{url}#study", rope=0.01).rope == 0.01
    assert evaluation.compare().rope == 0.05
