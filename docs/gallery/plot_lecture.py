"""
A lecture on evaluation, side by side
=====================================

What a first lecture on evaluating classifiers teaches, from the pipeline to the significance of a difference. Each step is
written out by hand, with NumPy and scikit-learn, beside the same step in this project.
"""

import numpy as np
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

# %%
# Everything that learns belongs in the pipeline
# ----------------------------------------------
# One hundred examples of two thousand columns of noise: nothing can be learnt, and half of all guesses are right. Who picks
# the ten columns that go best with the target before the data are split has let the test examples choose.
rng = np.random.default_rng(0)
noise, coin = rng.normal(size=(100, 2000)), np.repeat([0, 1], 50)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
picked = SelectKBest(k=10).fit_transform(noise, coin)
outside = cross_val_score(LogisticRegression(), picked, coin, cv=folds).mean()
inside = cross_val_score(make_pipeline(SelectKBest(k=10), LogisticRegression()), noise, coin, cv=folds).mean()
print(f"columns picked from all rows: accuracy {outside:.2f}; picked in the pipeline: {inside:.2f}")

# %%
# In this project a model is given whole, and all of it is fitted on the training rows of each split. Two models that cannot
# know anything are then not told apart, although their means on these folds are far from equal.
pipeline = make_pipeline(SelectKBest(k=10), LogisticRegression())
answer = tb.evaluate({"pipeline": pipeline, "naive Bayes": GaussianNB()}, noise, coin, cv=folds).compare(rope=0.02)
print(answer.headline)

# %%
# From one holdout to nested cross-validation
# -------------------------------------------
# A model that is scored on the rows that it was fitted on knows them by heart. One holdout is honest, but another one would
# have said something else: thirty of them, by hand.
X, y = load_breast_cancer(return_X_y=True)
tree = DecisionTreeClassifier(random_state=0)
print(f"on its own training rows: {tree.fit(X, y).score(X, y):.3f}")
holdouts = []
for seed in range(30):
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=seed, stratify=y)
    holdouts.append(tree.fit(X_train, y_train).score(X_test, y_test))
print(f"thirty holdouts: {min(holdouts):.3f} to {max(holdouts):.3f}, mean {np.mean(holdouts):.3f}")

# %%
# Repeated cross-validation takes every example for testing, several times. The interval here counts that the splits share
# training rows: dividing by the square root of their number, as if they were independent, makes it too short.
cv = {"kind": "repeated-stratified", "n_folds": 5, "n_repeats": 6}
evaluation = tb.evaluate({"tree": tree, "naive Bayes": GaussianNB()}, X, y, cv=cv)
accuracy = evaluation.scores("accuracy").matrix().score[0]
low, high = tb.statistics.corrected_t(accuracy, 1 / 4).interval(0.95)
half = stats.t.ppf(0.975, len(accuracy) - 1) * accuracy.std(ddof=1) / np.sqrt(len(accuracy))
print(f"mean {accuracy.mean():.3f}; by hand, as if independent: ± {half:.3f}")
print(f"corrected: {low:.3f} to {high:.3f}")

# %%
# A parameter that is chosen needs data of its own, since the best of many looks better than it is. Twenty-five numbers of
# neighbours on noise: the best one seems to know something. Nested cross-validation chooses on inner splits of each outer
# training set, and scores the choice on rows that took no part in it. By hand that is a search inside of ``cross_val_score``.
search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": list(range(1, 50, 2))}, cv=folds)
search.fit(noise[:, :2], coin)
print(f"the best of 25, by hand: {search.best_score_:.3f}")
print(f"chosen on inner splits, by hand: {cross_val_score(search, noise[:, :2], coin, cv=folds).mean():.3f}")
nested = tb.evaluate({"search": search}, noise[:, :2], coin, cv=folds)
print(nested)

# %%
# Its own best scores beside the honest ones.
nested.plot.choices()

# %%
# An accuracy of 99.9 %
# ---------------------
# Ten of ten thousand examples are positive, and a model never says so. Nearly all of its answers are right, and it is of no
# use.
matrix = tb.metrics.confusion_matrix([0] * 9990 + [1] * 10, [0] * 10000)
print(f"by hand: accuracy {9990 / 10000}, recall of the positive class {0 / 10}")
print(matrix)

# %%
matrix.plot()

# %%
# A ROC curve by hand
# -------------------
# Sort by score, then lower the threshold from one score to the next one. Examples of equal score enter together: taken one by
# one, their order would make the curve.
truth = np.array([1, 1, 0, 0, 0, 1, 0, 1, 0, 1])
score = np.array([0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25])
points = [(0.0, 0.0)]
for threshold in np.unique(score)[::-1]:
    said = score >= threshold
    points.append((np.mean(said[truth == 0]), np.mean(said[truth == 1])))
by_hand = np.array(points)
area = np.sum(np.diff(by_hand[:, 0]) * (by_hand[1:, 1] + by_hand[:-1, 1]) / 2)
curve = tb.metrics.roc_curve(truth, score)
print(f"area by hand {area:.2f}, here {curve.auc:.2f}")
print(curve)

# %%
# The points by hand lie on the curve; its area has DeLong's interval, which ten examples leave wide.
display = curve.plot.curve()
display.ax_.plot(by_hand[:, 0], by_hand[:, 1], "o", color="black", markersize=9, fillstyle="none", label="by hand")
legend = display.ax_.legend()

# %%
# What mistakes cost
# ------------------
# A miss costs 100, a false alarm 1, and a hit earns 1. The second model is right more often, and costs more.
cost = tb.CostMatrix({"+": {"+": -1, "-": 100}, "-": {"+": 1, "-": 0}})
by_hand_costs = np.array([[-1, 100], [1, 0]])
for name, counts in {"first": [[150, 40], [60, 250]], "second": [[250, 45], [5, 200]]}.items():
    errors = tb.metrics.ConfusionMatrix(("+", "-"), np.array(counts))
    by_hand_cost = (by_hand_costs * np.array(counts)).sum()
    print(f"{name}: accuracy {errors.accuracy:.1f}, cost by hand {by_hand_cost}, here {cost.total_cost(errors):.0f}")

# %%
# So decide by cost, not by one half: positive from the probability at which both mistakes are equally dear.
print(f"by hand {1 / (1 + 101):.4f}, here {cost.threshold('+'):.4f}")
models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), "naive Bayes": GaussianNB()}
kept = tb.evaluate(models, X[:, :5], np.where(y == 0, "+", "-"), cv=10, scoring=["roc_auc", "neg_log_loss", "accuracy"])
kept.roc(positive="+").plot.costs(cost)

# %%
# Is the difference significant?
# ------------------------------
# Two models on test sets of their own: one makes 15 % errors on 30 examples, the other 25 % on 5,000. By hand the difference
# of two rates has the sum of their variances.
error = np.sqrt(0.15 * 0.85 / 30 + 0.25 * 0.75 / 5000)
print(f"by hand: 0.100 ± {1.96 * error:.3f}")
low, high = tb.statistics.newcombe(0.15 * 30, 30, 0.25 * 5000, 5000, higher_is_better=False).interval()
print(f"Newcombe's interval: {low:.3f} to {high:.3f}")

# %%
# Two models on the same ten folds. The paired t-test of the lecture takes the folds for independent, which overlapping
# training sets are not; the corrected one allows for that.
difference = kept.scores("accuracy").matrix().score
difference = difference[0] - difference[1]
t = difference.mean() / (difference.std(ddof=1) / np.sqrt(10))
print(f"by hand: t = {t:.2f}, p = {2 * stats.t.sf(abs(t), 9):.4f}")
textbook, corrected = tb.statistics.paired_t(difference), tb.statistics.corrected_t(difference, 1 / 9)
print(f"here: textbook p = {textbook.pvalue():.4f}, corrected p = {corrected.pvalue():.4f}")

# %%
# And the question that was meant, whether one model is better by more than matters:
answer = kept.compare("accuracy", rope=0.01)
print(answer.headline)
answer.plot.ranking()
