"""
A fitted grid search: which candidates may be the best?
=======================================================

Four support vector machines on a small, noisy dataset: the grid search of scikit-learn's own gallery example, with the answer
that the example leaves to the reader.
"""

from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.svm import SVC

import tiebreak as tb
from tiebreak.statistics import adjust_pvalues

X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
grid = [{"kernel": ["linear", "rbf"]}, {"kernel": ["poly"], "degree": [2, 3]}]
cv = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
search = GridSearchCV(SVC(random_state=0), grid, scoring="roc_auc", cv=cv).fit(X, y)

answer = tb.compare(search, X=X, y=y, rope=0.01)
print(answer)

# %%
# The ranking: the mean of each model, and the interval of its difference from the first.
answer.plot.ranking()

# %%
# Every pair at a glance: its difference as a colour, its verdict as a mark.
answer.plot.verdicts()

# %%
# One pair: where its difference may lie, with the region that does not matter to us.
answer.plot.posterior("rbf", "linear")

# %%
# The same differences on every split: how steady they are.
answer.plot.differences()

# %%
# The scores themselves.
answer.plot.scores()

# %%
# How strongly the models' scores move together from split to split.
answer.correlation.round(2)

# %%
# The numbers that scikit-learn's example prints: for each pair in the order of the means the statistic of the corrected t-test,
# its right tail times the number of pairs (Bonferroni), and the three probabilities of the posterior.
pair = answer.pair("rbf", "linear")
print(f"rbf against linear: t {pair.statistic:.3f}, right tail {pair.law.pvalue('greater'):.3f}, both tails {pair.pvalue:.3f}")
print(f"uncorrected: t {pair.uncorrected.statistic:.3f}, right tail {pair.uncorrected.pvalue('greater'):.3f}")
for level in (0.50, 0.75, 0.95):
    low, high = pair.law.interval(level)
    print(f"{level:.0%} credible interval: {low:.6f} to {high:.6f}")
print("P(best):", {name: round(p, 3) for name, p in answer.p_best().items()})
table = answer.pairs[["first", "second", "statistic", "p_better", "p_worse", "p_equivalent"]]
right = [answer.pair(row.first, row.second).law.pvalue("greater") for row in table.itertuples()]
print(table.assign(adjusted=adjust_pvalues(right, "bonferroni")).round(3).to_string())
