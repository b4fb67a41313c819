"""
Many datasets: who wins on the next one?
========================================

Eight classifiers of time series on 142 datasets (Middlehurst, Schäfer and Bagnall, "Bake off redux", 2024), each score the mean
over 30 resamples: the diagram of average ranks, the pairs behind it, and two models on every dataset.
"""

import numpy as np

import tiebreak as tb

answer = tb.compare("../../examples/bakeoff.csv", metric="accuracy", rope=0.005)
print(answer.headline)

# %%
# Average ranks, the best on the left. A bar joins models that are not told apart; H-InceptionTime and FreshPRINCE are not, but
# QUANT, which lies between them, is told apart from FreshPRINCE: hence the gap. The bars are of pairwise tests, so they do not
# change with which other models are in the table.
answer.plot.diagram()

# %%
# Two models on each dataset, the largest difference on top.
answer.plot.paired("HC2", "PF")

# %%
# Ratings on Elo's scale, from who is better on which dataset, and the ranks that hold for all models at once.
tb.rate("../../examples/bakeoff.csv", metric="accuracy").plot()

# %%
# With few datasets and their splits (made here) the hierarchical method answers: with probabilities,
rng = np.random.default_rng(0)
names = ["iris", "wine", "glass", "yeast", "sonar", "heart", "seeds", "ecoli"]
dataset, split = np.repeat(names, 10), np.tile(np.arange(10), len(names))
difficulty, gain = np.repeat(rng.uniform(0.7, 0.9, 8), 10), np.repeat(rng.normal(0.03, 0.015, 8), 10)
weights = {"deep": 1.0, "wide": 0.9, "old": 0.0}
columns = {name: difficulty + weight * gain + rng.normal(0, 0.012, 80) for name, weight in weights.items()}
few = tb.compare(
    {"dataset": dataset, "split": split} | columns, metric="accuracy", method="hierarchical", rope=0.01, n_train=900, n_test=100
)
few.plot.posterior("deep", "old")

# %%
# and with an estimate for each dataset that borrows from the others.
few.shrinkage().query("first == 'deep' and second == 'old'")
