"""
Would more data help? Which value of a parameter?
=================================================

Learning and validation curves with intervals that count how the splits overlap.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import tiebreak as tb

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression())

curve = tb.learning_curve(model, X, y, cv={"kind": "repeated-stratified", "n_folds": 5, "n_repeats": 2}, rope=0.01)
print(curve)
curve.plot()

# %%
# Depths of a tree that are as good as the best one.
depths = tb.validation_curve(
    DecisionTreeClassifier(random_state=0),
    X,
    y,
    parameter="max_depth",
    values=[1, 2, 3, 5, 8],
    cv="repeated-stratified",
    rope=0.01,
)
print(depths)
depths.plot()

# %%
# Why a deep tree is not much better: its bias is smaller and its variance larger, over bootstraps of the training rows.
trees = {f"depth {depth}": DecisionTreeClassifier(max_depth=depth, random_state=0) for depth in (1, 3, 8)}
parts = tb.bias_variance(trees, X, y, n_rounds=20)
print(parts)
parts.plot()
