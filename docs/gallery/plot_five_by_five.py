"""
5 x 5 cross-validation: the pictures of the protocol, with a variance that holds
================================================================================

Five regressors on one dataset, measured by five repeats of 5-fold cross-validation: the matrix of differences, the
simultaneous intervals and the letters that people draw after Tukey's test, here from intervals that allow for the training
data that folds share.
"""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import Lasso, Ridge
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import tiebreak as tb

X, y = load_diabetes(return_X_y=True)
models = {
    "ridge": Ridge(0.1),
    "lasso": Lasso(0.1),
    "forest": RandomForestRegressor(25, random_state=0),
    "neighbours": KNeighborsRegressor(15),
    "tree": DecisionTreeRegressor(max_depth=4, random_state=0),
}
cv = {"kind": "repeated-kfold", "n_folds": 5, "n_repeats": 5}
answer = tb.evaluate(models, X, y, cv=cv, scoring="neg_mean_absolute_error").compare(rope=1.0)
print(answer.ranking[["rank", "model", "mean", "shortfall_high", "standing", "letters"]].round(2).to_string(index=False))

# %%
# The matrix of differences: colour is the size of the effect, the mark is what is shown.
answer.plot.verdicts()

# %%
# Every model against the best one, with simultaneous intervals.
answer.plot.ranking()

# %%
# The folds themselves, each model against the best on the same fold.
answer.plot.differences()
