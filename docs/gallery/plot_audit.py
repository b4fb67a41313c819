"""
Are the splits fair?
====================

An audit looks at data and splits before anything is measured. The flowers of this table are sorted by kind, so that plain folds
hold kinds that no training row has.
"""

from sklearn.datasets import load_iris
from sklearn.model_selection import KFold

import tiebreak as tb

X, y = load_iris(return_X_y=True)
audit = tb.audit(X, y, KFold(5))
print(audit)

# %%
# What each test set holds, with a mark where something was found.
audit.plot()

# %%
# Stratified folds hold the kinds in equal shares.
tb.audit(X, y, "stratified").plot()
