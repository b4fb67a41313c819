"""What the columns of a table mean: layout, keys, seeds, sizes, metrics, datasets; each table here is read from a CSV."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.readers.conftest import Write
from tests.readers.helpers import LONG, SCORE, WIDE, codes, read
from tiebreak.errors import (
    AmbiguousSourceError,
    ContradictingSizesError,
    InvalidParameterError,
    InvalidScoresError,
    MissingSizesError,
    TiebreakError,
    UnknownDirectionError,
    UnknownNameError,
    UnpairedScoresError,
    UnreadableSourceError,
    UnsuitableDesignError,
)


def check_refused(write: Write, text: str, error: type[TiebreakError], message: str, **settings: object) -> None:
    """The text of the error, whole."""
    with pytest.raises(error) as caught:
        read(write(text), **settings)
    assert str(caught.value) == message


# --- layout ---------------------------------------------------------------------------------------------------------


def test_reserved_words_in_other_case(write: Write) -> None:
    """'Model' and 'SCORE' mean the same where they are unambiguous."""
    text = LONG.replace("model,repeat,fold,score", "Model,Repeat,FOLD,Score")
    assert_array_equal(read(write(text)).matrix().score, SCORE)


def test_two_spellings_of_a_reserved_word(write: Write) -> None:
    """Neither is guessed: both may be splits, or one a model."""
    for text, advice in (
        ("Fold,FOLD,svm\n0,0,0.1\n", "'Fold' and 'FOLD'; which one is the fold? Call it 'fold'."),
        ("fold,Fold,svm\n0,0.1,0.2\n1,0.3,0.1\n", "'fold' and 'Fold'; which one is the fold? Call the other something else."),
    ):
        check_refused(write, text, AmbiguousSourceError, f"scores.csv has the columns {advice}")


def test_further_columns_of_a_long_table_are_not_read(write: Write) -> None:
    """Such as times and notes, whatever they hold."""
    text = "model,fold,score,note,,fit_time\nsvm,0,0.1,a,b,c\nsvm,1,0.2,d,e,f\n"
    assert_array_equal(read(write(text)).matrix().score, [[0.1, 0.2]])


def test_models_that_look_like_numbers_are_names(write: Write) -> None:
    """Models 1 and 10."""
    assert read(write("model,fold,score\n10,0,0.1\n1,0,0.2\n")).models == ("10", "1")


def test_score_without_model(write: Write) -> None:
    """Whose scores are they?"""
    check_refused(
        write,
        "fold,score\n0,0.1\n",
        AmbiguousSourceError,
        "scores.csv has a column 'score' but none called 'model', so it does not say whose scores they are. Add a 'model' "
        "column, or give each model a column of its own.",
    )


def test_no_column_of_scores(write: Write) -> None:
    """Only reserved columns."""
    check_refused(
        write,
        "fold,n_train\n0,9\n",
        UnreadableSourceError,
        "scores.csv has no column of scores, only 'fold' and 'n_train'. Use columns 'model' and 'score', or one column per "
        "model.",
    )


@pytest.mark.parametrize(("column", "called"), [("", "has no name"), ("Unnamed: 0", "is called 'Unnamed: 0'")])
def test_unnamed_column(column: str, called: str, write: Write) -> None:
    """As pandas and R write the row numbers."""
    check_refused(
        write,
        f"{column},svm,rf\n0,0.1,0.2\n1,0.3,0.1\n",
        UnreadableSourceError,
        f"column 1 of scores.csv {called}. It is probably a running number that pandas or R wrote beside the table: drop it "
        "(index=False in pandas, row.names=FALSE in R), or call it 'split' if it numbers the splits. If the rows are items of "
        "one test set, such as questions, pass rows='items'.",
    )


def test_battles_are_no_scores(write: Write) -> None:
    """They are rated, not compared."""
    check_refused(
        write,
        "model_a,model_b,winner\nsvm,rf,a\nrf,svm,tie\n",
        UnreadableSourceError,
        "scores.csv has the columns 'model_a', 'model_b' and 'winner', so its rows are battles, not scores. Rate the models: "
        "tiebreak rate FILE, or tb.rate(source).",
    )


def test_predictions_are_no_scores(write: Write) -> None:
    """A column of the truth tells them, which is no model either."""
    check_refused(
        write,
        "y_true,svm,rf\n1,1,0\n0,1,0\n",
        UnreadableSourceError,
        "scores.csv has the column 'y_true', so the others are probably predictions, not scores. Compare those in Python: "
        "tb.compare(tb.read_predictions(table['y_true'], {name: table[name] for name in ['svm', 'rf']})).",
    )


def test_a_row_for_each_model_and_a_column_for_each_dataset(write: Write) -> None:
    """As leaderboards are printed; a metric that is no column says that the columns are datasets."""
    text = "Model,mmlu,gsm8k,arc\nsmall,0.5,0.25,0.75\nlarge,0.625,0.5,\n"
    scores = read(write(text), metric="accuracy")
    assert [matrix.dataset for matrix in scores.matrices] == ["mmlu", "gsm8k", "arc"]
    assert_array_equal([matrix.score[:, 0] for matrix in scores.matrices], [[0.5, 0.625], [0.25, 0.5], [0.75, np.nan]])
    assert scores.models == ("small", "large")


@pytest.mark.parametrize(("metric", "message"), [("auc", None), ("accuracy", "no metric is called 'accuracy'")])
def test_columns_called_like_metrics_are_no_datasets(metric: str, message: str | None, write: Write) -> None:
    """A metric asked for is found however it is written, and one that is not there is an error."""
    path = write("model,AUC,F1\nsmall,0.5,0.25\nlarge,0.625,0.5\n")
    if message is None:
        assert not any(matrix.dataset for matrix in read(path, metric=metric).matrices)
    else:
        with pytest.raises(UnknownNameError, match=message):
            read(path, metric=metric)


def test_a_column_of_means_is_no_dataset(write: Write) -> None:
    """It would count the others twice."""
    check_refused(
        write,
        "model,mmlu,arc,Average\nsmall,0.5,0.75,0.625\nlarge,0.625,0.875,0.75\n",
        UnreadableSourceError,
        "scores.csv: column 'Average' looks like the mean of the others, which are taken for datasets. Remove it, or give it "
        "another name.",
        metric="accuracy",
    )


def test_a_dataset_with_a_cell_that_is_no_number(write: Write) -> None:
    """It is named, not left out."""
    with pytest.raises(InvalidScoresError, match=r"line 3, column 'arc': '0.8\*' is not a number. Every column but 'model'"):
        read(write("model,mmlu,arc\nsmall,0.5,0.75\nlarge,0.625,0.8*\n"), metric="accuracy")


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("model,mmlu,arc\na,0.5,0.7\nb,0.6,0.8\n", "If they are datasets, all of one metric, name that metric there."),
        ("model,id,ok\na,1,0\na,2,1\nb,1,1\nb,2,0\n", "If 'id' names the items of one test set, pass item='id'."),
        ("model,run,f1\na,1,0\na,2,1\nb,1,1\nb,2,0\n", "If 'run' numbers trainings with different seeds, call it 'seed'"),
    ],
)
def test_columns_of_numbers_that_may_be_no_metrics(text: str, advice: str, write: Write) -> None:
    """The error says what else they may be, and how to say so."""
    with pytest.raises(AmbiguousSourceError) as caught:
        read(write(text), metric=None)
    assert advice in str(caught.value)


@pytest.mark.parametrize("numbers", [(0, 1, 2, 3), (3, 7, 8, 20), (1, 1, 2, 3), (1, 2, 3, 3)])
def test_running_number(numbers: tuple[int, ...], write: Write) -> None:
    """Whole numbers that only go up are no model's scores."""
    text = "id,svm\n" + "".join(f"{number},0.{9 - i}\n" for i, number in enumerate(numbers))
    check_refused(
        write,
        text,
        UnreadableSourceError,
        f"column 'id' of scores.csv counts upwards ({numbers[0]}, {numbers[1]} ... {numbers[-1]}), so it is probably a running "
        "number and not a model's scores. Drop it, or call it 'split' if it numbers the splits; if it does hold scores, use "
        "columns 'model' and 'score' instead. If the rows are items of one test set, such as questions, pass rows='items'.",
    )


@pytest.mark.parametrize("scores", [("0.1", "0.2", "0.3"), ("1", "2", "2.5"), ("0", "0", "1"), ("3", "2", "1"), ("1", "2", "")])
def test_scores_that_happen_to_rise_are_no_running_number(scores: tuple[str, ...], write: Write) -> None:
    """Fractions, right and wrong, falling numbers, a gap."""
    text = "fold,svm,rf\n" + "".join(f"{i},{score},0.5\n" for i, score in enumerate(scores))
    assert read(write(text)).models == ("svm", "rf")


@pytest.mark.parametrize("key", ["seed", "dataset", "split", "fold"])
@pytest.mark.parametrize("scores", [(88, 89, 90), (810, 830, 840)])
def test_whole_scores_beside_a_key_are_no_running_number(key: str, scores: tuple[int, ...], write: Write) -> None:
    """Whole percents that rise with the seed: the rows are numbered by the key already."""
    text = f"{key},svm,rf\n" + "".join(f"{i},{score},{score - 3 * i}\n" for i, score in enumerate(scores))
    assert read(write(text)).models == ("svm", "rf")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("params,split0_test_score,split1_test_score", "looks like the cv_results_ of a search, with a row for each candidate"),
        ("fit_time,score_time,test_score", "looks like the result of one call of cross_validate, which scores a single model"),
    ],
)
def test_other_tables_of_scikit_learn(header: str, message: str, write: Write) -> None:
    """Saved as CSV they look wide, but their columns are no models."""
    with pytest.raises(UnreadableSourceError, match=message):
        read(write(f"{header}\n0.1,0.2,0.3\n"))


# --- splits ---------------------------------------------------------------------------------------------------------


def test_lone_split_is_the_fold(write: Write) -> None:
    """Of repeat 0."""
    matrix = read(write("split,svm\n7,0.1\n3,0.2\n")).matrix()
    assert_array_equal(matrix.repeat, [0, 0])
    assert_array_equal(matrix.fold, [3, 7])
    assert_array_equal(matrix.score, [[0.2, 0.1]])


def test_split_beside_fold_tells_repeats_apart(write: Write) -> None:
    """A running number or the repeat, in either case no two rows fall together."""
    matrix = read(write("split,fold,svm\n0,0,0.1\n1,1,0.2\n2,0,0.3\n3,1,0.4\n")).matrix()
    assert_array_equal(matrix.score, [[0.1, 0.2, 0.3, 0.4]])


def test_repeat_alone(write: Write) -> None:
    """Repeated holdout has one fold in each."""
    matrix = read(write("repeat,svm\n1,0.1\n2,0.2\n")).matrix()
    assert_array_equal(matrix.repeat, [1, 2])
    assert_array_equal(matrix.fold, [0, 0])


def test_words_are_sorted_as_people_do(write: Write) -> None:
    """fold 2 before fold 10."""
    matrix = read(write("fold,svm\nfold 10,0.1\nfold 2,0.2\nFold 1,0.3\n")).matrix()
    assert_array_equal(matrix.score, [[0.3, 0.2, 0.1]])


def test_whole_numbers_may_be_written_as_floats(write: Write) -> None:
    """As pandas does for a column that once had gaps; negative and large ones too."""
    matrix = read(write("fold,svm\n1.0,0.1\n-3.0,0.2\n5000000000.0,0.3\n")).matrix()
    assert_array_equal(matrix.fold, [-3, 1, 5_000_000_000])


@pytest.mark.parametrize("value", ["1.5", "inf", "1e300"])
def test_split_that_is_no_whole_number(value: str, write: Write) -> None:
    """Is said, not rounded."""
    with pytest.raises(
        InvalidScoresError, match=r"^scores\.csv, line 3, column 'fold': a fold must be a whole number or a word; got "
    ):
        read(write(f"fold,svm\n0,0.1\n{value},0.2\n"))


@pytest.mark.parametrize("rows", ["0,0.1\n,0.2\n,0.3\n", "a,0.1\n,0.2\n,0.3\n"])
def test_empty_split(rows: str, write: Write) -> None:
    """Beside numbers or words."""
    check_refused(
        write,
        f"fold,svm\n{rows}",
        InvalidScoresError,
        "scores.csv, line 3, column 'fold': no fold is given (2 such row(s) in all). Fill it in, or remove the row.",
    )


def test_empty_model(write: Write) -> None:
    """A score of nobody."""
    with pytest.raises(InvalidScoresError, match=r"^scores\.csv, line 3, column 'model': no model is given"):
        read(write("model,fold,score\nsvm,0,0.1\n,1,0.2\n"))


def test_without_keys_rows_are_paired_by_position(write: Write) -> None:
    """And it is said, for wide and long."""
    for text in ("svm,rf\n0.1,0.2\n0.3,0.4\n", "model,score\nsvm,0.1\nrf,0.2\nsvm,0.3\nrf,0.4\n"):
        scores = read(write(text))
        assert_array_equal(scores.matrix().score, [[0.1, 0.3], [0.2, 0.4]])
        assert scores.design.pairing == "position"
        assert codes(scores) == ["assumed-paired"]
        assert scores.notices[0].text == (
            "scores.csv does not name its splits, so models are paired by the order of their scores; if they were not scored "
            "on the same splits in the same order, the answer is wrong"
        )


def test_without_keys_models_need_equally_many_scores(write: Write) -> None:
    """Both counts are said."""
    check_refused(
        write,
        "model,score\nsvm,0.1\nsvm,0.2\nrf,0.3\n",
        UnpairedScoresError,
        "scores.csv does not name its splits, so scores are paired by their order; but model 'svm' has 2 scores and 'rf' has "
        "1. Give every model one score for each split, or name the splits in columns 'repeat' and 'fold' (or 'split').",
    )


def test_doubled_row_of_a_long_table(write: Write) -> None:
    """Model and split."""
    check_refused(
        write,
        "model,fold,score\nsvm,0,0.1\nsvm,0,0.2\n",
        InvalidScoresError,
        "model 'svm' has more than one score for repeat 0 fold 0 (1 such row(s) in all). Keep one row for each model and "
        "split; if the rows differ by a random seed, name that column 'seed'.",
    )


def test_doubled_row_of_a_wide_table(write: Write) -> None:
    """Both lines."""
    check_refused(
        write,
        "fold,svm\n0,0.1\n1,0.2\n0,0.3\n",
        InvalidScoresError,
        "scores.csv, line 4: there is already a row for repeat 0 fold 0 (scores.csv, line 2). Keep one row for each split; "
        "if the rows differ by a random seed, name that column 'seed'; if by repeat, 'repeat'.",
    )


def test_missing_row_is_nan(write: Write) -> None:
    """The comparison says so, or leaves the split out."""
    matrix = read(write("model,fold,score\nsvm,0,0.1\nsvm,1,0.2\nrf,1,0.3\n")).matrix()
    assert_array_equal(matrix.score, [[0.1, 0.2], [np.nan, 0.3]])


def test_models_without_a_common_split(write: Write) -> None:
    """Cannot be paired at all."""
    check_refused(
        write,
        "model,fold,score\nsvm,0,0.1\nsvm,1,0.2\nrf,2,0.3\n",
        UnpairedScoresError,
        "scores.csv: models 'svm' and 'rf' have no split in common: 'svm' has 2, the first of them repeat 0 fold 0 and 'rf' has "
        "1, the first of them repeat 0 fold 2. Score both on the same splits, or leave one out with models=.",
    )


def test_undefined_score_is_not_a_missing_row(write: Write) -> None:
    """A model that failed everywhere is incomplete; it was scored on the same splits."""
    assert np.isnan(read(write("model,fold,score\nsvm,0,0.1\nrf,0,\n")).matrix().score[1]).all()


@pytest.mark.parametrize(("value", "sign"), [("inf", ""), ("-1e999", "minus ")])
def test_infinite_score(value: str, sign: str, write: Write) -> None:
    """Line and model, in both layouts."""
    rest = (
        f"the score is {sign}infinite. Means and differences would be infinite too; correct it, or leave the cell empty (nan) if "
    )
    for text in (f"fold,svm\n0,0.1\n1,{value}\n", f"model,fold,score\nsvm,0,0.1\nsvm,1,{value}\n"):
        with pytest.raises(InvalidScoresError) as caught:
            read(write(text))
        assert str(caught.value) == f"scores.csv, line 3: model 'svm': {rest}the score is undefined."


# --- seeds ----------------------------------------------------------------------------------------------------------


def test_seeds_are_averaged_within_a_split(write: Write) -> None:
    """Long: over the seeds that a model has."""
    text = "model,fold,seed,score\nsvm,0,1,0.1\nsvm,0,2,0.3\nsvm,1,1,0.5\nrf,0,1,0.2\nrf,1,1,0.6\nrf,1,2,0.8\n"
    scores = read(write(text))
    assert_allclose(scores.matrix().score, [[0.2, 0.5], [0.2, 0.7]])
    assert codes(scores) == []


def test_seeds_are_averaged_in_a_wide_table(write: Write) -> None:
    """A seed that failed leaves the split undefined, as nothing undefined is averaged away."""
    text = "fold,seed,svm,rf,n_train,n_test\n1,a,0.1,0.2,8,2\n1,b,0.3,0.4,8,2\n0,a,0.5,,9,1\n0,b,0.7,0.8,9,1\n"
    matrix = read(write(text)).matrix()
    assert_allclose(matrix.score, [[0.6, 0.2], [np.nan, 0.3]])
    assert_array_equal(matrix.n_train, [9, 8])


def test_one_seed_for_each_split_changes_nothing(write: Write) -> None:
    """It only says how the model was trained."""
    matrix = read(write("model,fold,seed,score\nsvm,0,5,0.1\nsvm,1,6,0.3\n")).matrix()
    assert_array_equal(matrix.score, [[0.1, 0.3]])


@pytest.mark.parametrize(
    "text",
    [
        "model,seed,score\nsvm,1,0.1\nsvm,2,0.2\nrf,1,0.2\nrf,2,0.3\n",
        "model,fold,seed,score\nsvm,0,1,0.1\nsvm,0,2,0.2\nrf,0,1,0.2\nrf,0,2,0.3\n",
        "seed,svm,rf\n2,0.2,0.3\n1,0.1,0.2\n",
        "fold,seed,svm,rf\n0,1,0.1,0.2\n0,2,0.2,0.3\n",
    ],
)
def test_seeds_on_one_split(text: str, write: Write) -> None:
    """The seed is the key, in its order, and the design says that the columns are no splits."""
    scores = read(write(text))
    assert scores.design.kind == "seeds"
    assert scores.design.pairing == "key"
    matrix = scores.matrix()
    assert matrix.columns == ("1", "2")
    assert_array_equal(matrix.repeat, [1, 2])
    assert_array_equal(matrix.score, [[0.1, 0.2], [0.2, 0.3]])


def test_seeds_may_have_names_and_need_not_be_shared(write: Write) -> None:
    """Names stand in their natural order; a model without a run of some seed has no score there."""
    matrix = read(write("model,seed,score\nsvm,s10,0.1\nsvm,s2,0.2\nrf,s3,0.3\nrf,s4,0.4\n")).matrix()
    assert matrix.columns == ("s2", "s3", "s4", "s10")
    assert_array_equal(matrix.score, [[0.2, np.nan, np.nan, 0.1], [np.nan, 0.3, 0.4, np.nan]])


def test_seeds_that_cannot_be_of_one_test_set(write: Write) -> None:
    """Test sets of different sizes are different ones; a run without a seed has no name."""
    check_refused(
        write,
        "seed,svm,rf,n_test\n1,0.1,0.2,100\n2,0.2,0.3,90\n",
        UnsuitableDesignError,
        "the scores of scores.csv differ by seed, and the numbers of their test examples differ, too (90 to 100): so they are "
        "not of one test set. If each seed also drew a new split, call that column 'split' or 'repeat'.",
    )
    with pytest.raises(InvalidScoresError, match=r"line 3, column 'seed': no seed is given \(1 such"):
        read(write("seed,svm,rf\n1,0.1,0.2\n,0.2,0.3\n3,0.2,0.4\n"))
    with pytest.raises(InvalidScoresError, match=r"model 'rf' has more than one score for seed 2 \(1 such row\(s\) in all\)"):
        read(write("model,seed,score\nsvm,1,0.1\nsvm,2,0.2\nrf,2,0.2\nrf,2,0.3\n"))


def test_doubled_seed(write: Write) -> None:
    """The same model, split and seed twice."""
    with pytest.raises(
        InvalidScoresError, match=r"model 'svm' has more than one score for repeat 0 fold 1 and the same seed \(1 such"
    ):
        read(write("model,fold,seed,score\nsvm,0,1,0.1\nsvm,0,2,0.1\nsvm,1,1,0.2\nsvm,1,1,0.3\n"))
    with pytest.raises(
        InvalidScoresError, match=r"model 'every model' has more than one score for repeat 0 fold 1 and the same seed"
    ):
        read(write("fold,seed,svm\n0,1,0.1\n0,2,0.1\n1,1,0.2\n1,1,0.3\n"))


# --- sizes ----------------------------------------------------------------------------------------------------------

SIZED = "fold,svm,rf,n_train,n_test\n0,0.1,0.2,90,10\n1,0.3,0.4,91,9.0\n"


def test_sizes_are_read(write: Write) -> None:
    """Whole numbers, written as floats too."""
    scores = read(write(SIZED))
    assert_array_equal(scores.matrix().n_train, [90, 91])
    assert_array_equal(scores.matrix().n_test, [10, 9])
    assert scores.design.sizes == "exact"


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "", "inf"])
def test_size_that_is_none(value: str, write: Write) -> None:
    """Line and value."""
    with pytest.raises(
        InvalidScoresError,
        match=r"^scores\.csv, line 3, column 'n_test': n_test must be a number of examples, a whole number of at least 1; got ",
    ):
        read(write(f"fold,svm,n_train,n_test\n0,0.1,9,1\n1,0.2,9,{value}\n"))


def test_sizes_that_are_all_zero_are_unknown(write: Write) -> None:
    """So that what to_frame() exports can be read again."""
    scores = read(write("fold,svm,n_train,n_test\n0,0.1,0,0\n1,0.2,0,0\n"))
    assert scores.design.sizes == "missing"


def test_rows_of_a_split_must_agree_on_its_size(write: Write) -> None:
    """One split has one size."""
    with pytest.raises(ContradictingSizesError, match="n_test of repeat 0 fold 0 is 9 in one row and 10 in another"):
        read(write("model,fold,score,n_train,n_test\nrf,0,0.1,90,9\nsvm,0,0.1,90,10\n"))


def test_caller_gives_sizes(write: Write) -> None:
    """Where the source has none, or one of the two."""
    scores = read(write(WIDE), n_train=90, n_test=10)
    assert_array_equal(scores.matrix().ratio, np.full(4, 1 / 9))
    assert scores.design.sizes == "exact"
    assert read(write("fold,svm,n_test\n0,0.1,10\n"), n_train=90).matrix().n_train.tolist() == [90]


def test_caller_gives_one_size_only(write: Write) -> None:
    """The other is asked for."""
    check_refused(
        write,
        WIDE,
        InvalidParameterError,
        "n_train is known but n_test is not, and the correction needs both. Pass n_test= too.",
        n_train=90,
    )


def test_caller_contradicts_the_source(write: Write) -> None:
    """The first split that differs is named."""
    check_refused(
        write,
        SIZED,
        ContradictingSizesError,
        "n_train=90 was given, but scores.csv says 91 for repeat 0 fold 1. Leave out n_train= to use the sizes of the source.",
        n_train=90,
    )
    check_refused(
        write,
        SIZED,
        ContradictingSizesError,
        "n_samples=99 was given, but repeat 0 fold 0 of scores.csv has 90 training and 10 test examples. n_samples counts all "
        "examples, training and test together.",
        n_samples=99,
    )
    check_refused(
        write,
        WIDE,
        ContradictingSizesError,
        "n_train=90 + n_test=20 is more than n_samples=100. n_samples counts all examples, training and test together.",
        n_train=90,
        n_test=20,
        n_samples=100,
    )


@pytest.mark.parametrize("value", [0, -1, 2.5, "90", True])
def test_size_given_must_be_a_count(value: object, write: Write) -> None:
    """A whole number of at least 1."""
    with pytest.raises(InvalidParameterError, match="n_test must be a number of examples, a whole number of at least 1; got"):
        read(write(WIDE), n_test=value)


@pytest.mark.parametrize("given", [{"X": [[1]], "y": [1]}, {"n_samples": 100}])
def test_data_alone_tell_no_sizes(given: dict[str, object], write: Write) -> None:
    """A table keeps no cv, so nothing is invented."""
    check_refused(
        write,
        WIDE,
        MissingSizesError,
        "X, y and n_samples tell the sizes of the splits of a fitted search, since it keeps its cv; for arrays and results of "
        "cross_validate pass cv= too. Otherwise pass the search itself, or n_train= and n_test= (examples per split).",
        **given,
    )


# --- metrics --------------------------------------------------------------------------------------------------------


def test_metric_must_be_named(write: Write) -> None:
    """Its direction is never read off the data."""
    check_refused(
        write,
        WIDE,
        UnknownDirectionError,
        "scores.csv does not say which metric its scores are, nor whether higher or lower is better. Pass metric=: a "
        "scikit-learn scorer name such as 'accuracy' or 'neg_log_loss', or any other name together with lower_is_better=True "
        "or lower_is_better=False. Nor does it say how many training and test examples each split has, which the correction for "
        "shared training data needs. All together, for example: compare(..., metric='accuracy', n_train=..., n_test=...).",
        metric=None,
    )


def test_many_datasets_are_not_asked_for_sizes(write: Write) -> None:
    """Their scores are averaged over the splits of each, which no shared training data enters."""
    with pytest.raises(UnknownDirectionError) as caught:
        read(write("dataset,split,a,b\nx,0,1,2\nx,1,1,3\ny,0,2,3\ny,1,2,2\n"), metric=None)
    assert str(caught.value).endswith("or lower_is_better=False.")


def test_a_name_of_very_many_digits_stays_what_it_is(write: Write) -> None:
    """A float would call it infinite, and so would call another name."""
    name = "1" + "0" * 400
    path = write(f'{{"model": [{name}, 3, {name}, 3], "fold": [0, 0, 1, 1], "score": [0.1, 0.2, 0.3, 0.4]}}', "scores.json")
    for source in (path, pd.DataFrame({"model": [10**400, 3] * 2, "fold": [0, 0, 1, 1], "score": [0.1, 0.2, 0.3, 0.4]})):
        assert read(source, metric="accuracy").matrix().models == (name, "3")


def test_direction_alone_is_enough(write: Write) -> None:
    """The metric is then called score."""
    metric = read(write(WIDE), metric=None, lower_is_better=True).metric
    assert (metric.name, metric.higher_is_better) == ("score", False)


METRICS = (
    "model,fold,metric,score\nsvm,0,accuracy,0.9\nsvm,0,neg_log_loss,-0.3\nrf,0,accuracy,0.8\nrf,0,neg_log_loss,-0.5\n"
    "svm,1,accuracy,0.7\nsvm,1,neg_log_loss,-0.4\nrf,1,accuracy,0.6\nrf,1,neg_log_loss,-0.6\n"
)


def test_metric_is_chosen_from_its_column(write: Write) -> None:
    """By its own name, with neg_ or without."""
    assert_array_equal(read(write(METRICS)).matrix().score, [[0.9, 0.7], [0.8, 0.6]])
    for asked in ("neg_log_loss", "log_loss"):
        scores = read(write(METRICS), metric=asked)
        assert (scores.metric.name, scores.metric.higher_is_better) == ("log_loss", False)
        assert_array_equal(scores.matrix().score, [[0.3, 0.4], [0.5, 0.6]])


def test_several_metrics_and_none_chosen(write: Write) -> None:
    """They are named."""
    check_refused(
        write,
        METRICS,
        AmbiguousSourceError,
        "scores.csv holds 2 metrics: 'accuracy' and 'neg_log_loss'. Say which one to compare with metric=.",
        metric=None,
    )


def test_unknown_metric(write: Write) -> None:
    """The nearest names."""
    check_refused(write, METRICS, UnknownNameError, "no metric is called 'acuracy': did you mean 'accuracy'?", metric="acuracy")


def test_single_metric_names_itself(write: Write) -> None:
    """metric= need not be given, but must agree if it is."""
    text = "metric,fold,svm,rf\nroc_auc,0,0.1,0.2\nroc_auc,1,0.2,0.3\n"
    assert read(write(text), metric=None).metric.name == "roc_auc"
    with pytest.raises(UnknownNameError, match="no metric is called 'accuracy'"):
        read(write(text))


BY_COLUMN = "model,fold,accuracy,rmse,note\nsvm,0,0.9,1.5,x\nsvm,1,0.7,1.6,y\nrf,0,0.8,1.7,z\nrf,1,0.6,1.8,w\n"


def test_metric_is_chosen_from_the_columns(write: Write) -> None:
    """A table with models in rows and metrics in columns; columns of words are none of them."""
    assert_array_equal(read(write(BY_COLUMN)).matrix().score, [[0.9, 0.7], [0.8, 0.6]])
    scores = read(write(BY_COLUMN), metric="rmse", lower_is_better=True)
    assert_array_equal(scores.matrix().score, [[1.5, 1.6], [1.7, 1.8]])
    with pytest.raises(AmbiguousSourceError, match=r"scores\.csv holds 2 metrics: 'accuracy' and 'rmse'"):
        read(write(BY_COLUMN), metric=None)
    with pytest.raises(InvalidScoresError, match=r"^scores\.csv, line 2, column 'note': 'x' is not a number\.$"):
        read(write(BY_COLUMN), metric="note")


def test_only_column_of_numbers_is_the_metric(write: Write) -> None:
    """It need not be chosen."""
    assert read(write("model,fold,note,f1\nsvm,0,x,0.5\nrf,0,y,0.6\n"), metric=None).metric.name == "f1"


def test_column_of_scores_beside_a_metric_column(write: Write) -> None:
    """Whatever it is called, if it is the only one."""
    text = "model,metric,fold,value\nsvm,accuracy,0,0.9\nrf,accuracy,0,0.8\n"
    assert_array_equal(read(write(text)).matrix().score, [[0.9], [0.8]])
    with pytest.raises(
        UnreadableSourceError, match=r"which column holds their scores\? There are 'value' and 'time'\. Call it 'score'"
    ):
        read(write("model,metric,fold,value,time\nsvm,accuracy,0,0.9,1.5\n"))
    with pytest.raises(UnreadableSourceError, match=r"which column holds their scores\? There are 'note'"):
        read(write("model,fold,note\nsvm,0,a\n"))


def test_negated_loss_is_turned_back(write: Write) -> None:
    """A neg_ name says how values are stored."""
    scores = read(write("fold,svm\n0,-0.5\n1,-0\n"), metric="neg_log_loss")
    assert_array_equal(scores.matrix().score, [[0.5, 0.0]])
    assert not np.signbit(scores.matrix().score).any()


def test_caller_says_that_a_column_is_negated(write: Write) -> None:
    """metric='neg_log_loss' of a column called log_loss."""
    text = "model,fold,log_loss\nsvm,0,-0.5\nrf,0,-0.25\n"
    assert_array_equal(read(write(text), metric="neg_log_loss").matrix().score, [[0.5], [0.25]])


def test_sign_contradicts_the_name(write: Write) -> None:
    """Both ways round, and how to go on."""
    check_refused(
        write,
        "fold,svm\n0,0.5\n1,-0.25\n",
        InvalidScoresError,
        "scores.csv: model 'svm' has -0.25 on repeat 0 fold 1, but 'log_loss' is never negative: sign and name contradict each "
        "other. If these are scikit-learn's negated losses, call the metric 'neg_log_loss' (in the source, or with metric=).",
        metric="log_loss",
    )
    check_refused(
        write,
        "fold,svm\n0,-0.5\n1,0.25\n",
        InvalidScoresError,
        "scores.csv: model 'svm' has 0.25 on repeat 0 fold 1, but a value called 'neg_log_loss' is a negated loss, never above "
        "zero: sign and name contradict each other. If these are the losses themselves, call the metric 'log_loss'.",
        metric="neg_log_loss",
    )


def test_rounding_is_no_contradiction(write: Write) -> None:
    """A perfect log loss may be stored as 2e-16 or -2e-16."""
    assert read(write("fold,svm\n0,-2e-16\n1,0\n"), metric="log_loss").metric.name == "log_loss"


# --- datasets -------------------------------------------------------------------------------------------------------

DATASETS = "dataset,fold,svm,rf\niris,0,0.1,0.2\nwine,0,0.5,0.6\niris,1,0.3,0.4\nwine,1,0.7,0.8\n"
LONG_DATASETS = "dataset,model,fold,score\n" + "".join(
    f"{row[0]},{model},{row[1]},{row[2 + i]}\n"
    for row in (line.split(",") for line in DATASETS.splitlines()[1:])
    for i, model in enumerate(["svm", "rf"])
)


@pytest.mark.parametrize("text", [DATASETS, LONG_DATASETS])
def test_all_datasets_are_kept(text: str, write: Write) -> None:
    """The comparison asks which one; dataset= says it."""
    scores = read(write(text))
    assert scores.datasets == ("iris", "wine")
    assert_array_equal(scores.matrix("wine").score, [[0.5, 0.7], [0.6, 0.8]])
    chosen = read(write(text), dataset="iris")
    assert chosen.datasets == ("iris",)
    assert_array_equal(chosen.matrix().score, [[0.1, 0.3], [0.2, 0.4]])


def test_unknown_dataset(write: Write) -> None:
    """The nearest names; or that there are none."""
    check_refused(write, DATASETS, UnknownNameError, "no dataset is called 'irsi': did you mean 'iris'?", dataset="irsi")
    check_refused(
        write, WIDE, UnknownNameError, "dataset='iris' was given, but scores.csv does not name any datasets.", dataset="iris"
    )


def test_datasets_that_are_all_empty_are_none(write: Write) -> None:
    """As exported where there is no name; a gap among names is an error."""
    assert read(write("dataset,fold,svm\n,0,0.1\n,1,0.2\n")).datasets == ("",)
    with pytest.raises(InvalidScoresError, match=r"line 3, column 'dataset': no dataset is given"):
        read(write("dataset,fold,svm\niris,0,0.1\n,1,0.2\n"))


def test_datasets_with_models_of_their_own(write: Write) -> None:
    """Each dataset has the models that are there."""
    scores = read(write("dataset,model,fold,score\niris,svm,0,0.1\nwine,rf,0,0.2\nwine,svm,0,0.3\n"))
    assert scores.matrix("iris").models == ("svm",)
    assert scores.matrix("wine").models == ("rf", "svm")


def test_error_in_a_chosen_dataset_names_the_line(write: Write) -> None:
    """Lines of the file, not of the part that was chosen."""
    with pytest.raises(InvalidScoresError, match=r"^scores\.csv, line 5: model 'svm': the score is infinite"):
        read(write(DATASETS.replace("0.7", "inf")), dataset="wine")
    with pytest.raises(
        InvalidScoresError, match=r"^scores\.csv, line 5: there is already a row for repeat 0 fold 0 \(scores\.csv, line 3\)"
    ):
        read(write(DATASETS.replace("wine,1", "wine,0")), dataset="wine")
    with pytest.raises(
        InvalidScoresError, match=r"^scores\.csv, line 5: there is already a row for repeat 0 fold 0 \(scores\.csv, line 3\)"
    ):
        read(write(DATASETS.replace("wine,1", "wine,0")))


# --- items, percent -------------------------------------------------------------------------------------------------

ITEMS = (
    "scores.csv has 60 rows in which every score is 0 or 1. Are its rows folds, or items (examples of one test set, right or "
    "wrong)? Pass rows='items' to compare the models item by item. If they are folds, add columns n_train and n_test with the "
    "numbers of training and test examples of each fold."
)


@pytest.mark.parametrize("metric", ["accuracy", None])
@pytest.mark.parametrize(
    "text",
    [
        "svm,rf\n" + "1,0\n0,1\n1,1\n" * 20,
        "split,svm,rf\n" + "".join(f"{i},{i % 2},1\n" for i in range(60)),
        "model,score\n" + "svm,1\nrf,0\n" * 60,
    ],
)
def test_items_are_asked_about(text: str, metric: str | None, write: Write) -> None:
    """Before the metric, and without suggesting sizes to invent."""
    check_refused(write, text, AmbiguousSourceError, ITEMS, metric=metric)
    assert "n_train=" not in ITEMS


@pytest.mark.parametrize(
    "text",
    [
        "svm,rf\n" + "1,0\n0,1\n" * 24,
        "svm,rf\n" + "1,0\n0,0.5\n" * 30,
        "svm,rf,n_train,n_test\n" + "1,0,60,1\n" * 60,
        "fold,svm,rf\n" + "".join(f"{i},{i % 2},1\n" for i in range(60)),
    ],
)
def test_what_is_no_table_of_items(text: str, write: Write) -> None:
    """Few rows, other scores, known sizes or named folds."""
    assert read(write(text)).models == ("svm", "rf")


def test_items_are_folds_if_the_caller_knows_their_sizes(write: Write) -> None:
    """Leave-one-out, for example."""
    assert read(write("svm,rf\n" + "1,0\n0,1\n1,1\n" * 20), n_train=59, n_test=1).matrix().n_splits == 60


def test_percent_beside_fractions(write: Write) -> None:
    """Named by unit."""
    scores = read(write("fold,svm,rf,knn\n0,91,0.9,88\n1,85,0.8,\n"))
    assert codes(scores) == ["percent-or-fraction"]
    assert scores.notices[0].text == (
        "accuracy of 'svm' and 'knn' looks like percent, that of 'rf' like a fraction of 1; write all in one unit"
    )


def test_all_in_percent(write: Write) -> None:
    """A rope of 0.01 would then be a hundredth of a point."""
    scores = read(write("fold,svm,rf\n0,91,90\n1,85,0.5\n"))
    assert scores.notices[0].text == "accuracy looks like percent: a rope is then in percentage points, 1 for one point, not 0.01"


def test_metrics_without_bound_have_no_percent(write: Write) -> None:
    """An rmse of 91 is an rmse of 91."""
    assert codes(read(write("fold,svm,rf\n0,91,0.9\n1,85,0.8\n"), metric="root_mean_squared_error")) == []


def test_an_array_in_a_cell_is_no_number() -> None:
    """Though Python would turn one of length 1 into one."""
    table = {"fold": [0, 1], "b": [0.1, 0.2]}
    for cell in (np.array([0.5]), np.array([0.5, 0.6]), [0.5]):
        with pytest.raises(InvalidScoresError, match="is not a number"):
            read({**table, "a": [0.5, cell]})
    assert read({**table, "a": [0.5, np.array(0.25)]}).matrix().score[1, 1] == 0.25


def test_a_key_of_thousands_of_digits_is_a_word(write: Write) -> None:
    """Python makes no number of it."""
    digits = "1" * 5000
    text = "model,fold,score\n" + "".join(f"{model},fold {fold},0.5\n" for model in ("svm", "rf") for fold in (digits, 2))
    assert read(write(text)).matrix().n_splits == 2
