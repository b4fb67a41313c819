"""
Two models on the same questions
================================

Four language models on 500 questions of three topics, each right or wrong (made numbers). What tells two models apart are the
questions that one gets and the other does not, and the interval of the difference counts just these.
"""

import numpy as np

import tiebreak as tb

rng = np.random.default_rng(3)
n = 500
ease = rng.normal(0, 1, n)
skill = {"large": 1.1, "small": 0.8, "tuned": 0.75, "base": 0.1}
table = {"question": [f"q{i:03d}" for i in range(n)], "topic": rng.choice(["law", "physics", "history"], n).tolist()}
table |= {name: (level + ease + rng.normal(0, 0.8, n) > 0).astype(int).tolist() for name, level in skill.items()}
answer = tb.compare(tb.read_items(table, metric="accuracy"), rope=0.02)
print(answer.headline)

# %%
# Every model against the best one, with simultaneous intervals.
answer.plot.ranking()

# %%
# Some of the questions that one model gets and the other does not.
answer.items.disagreements("large", "small").head(12)

# %%
# A pair by topic. All slices share one family, so that many of them make no false alarm likelier; small ones stay undecided.
answer.slices("topic").plot("large", "base")
