"""
Scikit-learn's grid-search example, side by side
================================================

The gallery of scikit-learn compares four support vector machines by statistics that it writes out, a test and a posterior for one
pair after the other. Here each of its steps stands beside the same step in this project: the numbers are equal, and what the
example leaves to the reader is an answer.
"""

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb

X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
kernels = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
splits = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
search = GridSearchCV(SVC(random_state=0), kernels, scoring="roc_auc", cv=splits).fit(X, y)
answer = tb.compare(search, X=X, y=y, rope=0.01)
print(answer.headline)

# %%
# **Which model is the best?** The example ranks by the mean score. So does the table on the right, which also says how far
# each model may fall short of the best one: a mean alone cannot tell a better model from a luckier one.
by_hand = pd.DataFrame(search.cv_results_).sort_values("rank_test_score")
left = by_hand[["mean_test_score", "std_test_score"]].reset_index(drop=True).round(4)
right = answer.ranking[["model", "mean", "shortfall_high", "standing"]].round(4)
print(pd.concat({"by hand": left, "tiebreak": right}, axis=1).to_string(index=False))

# %%
# **Scores of one split go up and down together.** Training sets overlap, and every model finds the same test examples hard.
# That is why pairs are compared by their differences, and why the plain t-test is too sure.
answer.plot.scores()

# %%
answer.correlation.round(2)

# %%
# **Two models, a test.** Nadeau and Bengio (2003) raise the variance of the mean difference: instead of 1/n it has 1/n +
# n_test / n_train, since the splits share training examples. By hand that is five lines. The example reads one tail of the
# distribution, on the side that the data favour, which rejects equal models twice as often as it says; the project reads
# both.
scores = {str(row["params"]): row.filter(regex=r"^split\d+_test_score").to_numpy(dtype=float) for _, row in by_hand.iterrows()}
first, second = list(scores)[:2]
difference = scores[first] - scores[second]
train, test = next(splits.split(X, y))
n = difference.size
standard_error = np.sqrt(difference.var(ddof=1) * (1 / n + test.size / train.size))
t = difference.mean() / standard_error
pair = answer.pair("rbf", "linear")
rows = {
    "mean difference": (difference.mean(), pair.difference),
    "standard error": (standard_error, pair.standard_error),
    "statistic": (t, pair.statistic),
    "p, one tail chosen by the data": (stats.t.sf(abs(t), n - 1), np.nan),
    "p, two-sided": (2 * stats.t.sf(abs(t), n - 1), pair.pvalue),
    "p without the correction": (stats.ttest_1samp(difference, 0).pvalue, np.nan),
}
print(pd.DataFrame(rows, index=["by hand", "tiebreak"]).T.round(4).to_string(na_rep=""))

# %%
# **Two models, a posterior.** The same Student distribution, read as what is known of the difference (Corani and Benavoli
# 2015). With a region of practical equivalence, here one hundredth of AUC to both sides, there are three probabilities
# instead of one p-value.
posterior = stats.t(n - 1, loc=difference.mean(), scale=standard_error)
rope = 0.01
rows = {
    "P(rbf better)": (posterior.sf(rope), pair.p_better),
    "P(equivalent)": (posterior.cdf(rope) - posterior.cdf(-rope), pair.p_equivalent),
    "P(linear better)": (posterior.cdf(-rope), pair.p_worse),
}
print(pd.DataFrame(rows, index=["by hand", "tiebreak"]).T.round(4).to_string())
print(pair.sentence)

# %%
# The curve, the region and the interval in one picture.
pair.plot.posterior()

# %%
# **All pairs.** The example multiplies six p-values by six. The project has one interval for each pair, all six of them right
# at once with 95 % confidence, and the verdict is where the interval lies; no second rule can contradict it.
labels = dict(zip(scores, answer.ranking["model"], strict=True))
table = answer.pairs[["first", "second", "difference", "interval_low", "interval_high", "verdict"]].copy()
numbers = {labels[name]: values for name, values in scores.items()}
by_hand_p = []
for one, other in zip(table["first"], table["second"], strict=True):
    d = numbers[one] - numbers[other]
    p = 2 * stats.t.sf(abs(d.mean()) / np.sqrt(d.var(ddof=1) * (1 / n + test.size / train.size)), n - 1)
    by_hand_p.append(min(1, p * len(table)))
table.insert(2, "p by hand", by_hand_p)
table.insert(3, "adjusted_pvalue", answer.pairs["adjusted_pvalue"])
print(table.round(3).to_string(index=False))

# %%
answer.plot.verdicts()

# %%
# **What the example leaves open.** Three of the four may be the best. What would it take to know? The second paragraph of the
# answer:
print(answer.to_text().split("\n\n")[1])
