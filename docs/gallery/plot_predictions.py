"""
What kind of errors does a model make?
======================================

Confusion matrices, ROC, precision-recall and calibration curves, and costs, read off the predictions that an evaluation keeps.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tiebreak as tb

X, y = load_breast_cancer(return_X_y=True)
models = {"logistic": make_pipeline(StandardScaler(), LogisticRegression()), "bayes": GaussianNB()}
evaluation = tb.evaluate(models, X, y, cv={"kind": "stratified", "n_folds": 5}, scoring=["accuracy", "roc_auc", "neg_log_loss"])
evaluation.confusion().plot()

# %%
# The curve of each model over all splits.
evaluation.roc().plot()

# %%
evaluation.precision_recall().plot()

# %%
# Whether a predicted probability of 0.8 means 8 in 10.
evaluation.calibration().plot()

# %%
# Where to put the threshold if a missed tumour (class 0) costs twenty times a false alarm.
costs = tb.CostMatrix({0: {0: 0, 1: 20}, 1: {0: 1, 1: 0}})
evaluation.roc(positive=0).plot.costs(costs)

# %%
# Who is near the best, and cheap to fit.
evaluation.plot.times("roc_auc", rope=0.01)
