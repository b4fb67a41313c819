"""
How much do I need?
===================

How many questions does it take to see that one language model is better than another by two points? That depends on how often
they disagree: here exactly one of the two is right on 10 % of the questions.
"""

import tiebreak as tb

size = tb.sample_size(difference=0.02, discordant=0.1)
print(size)

# %%
# The power over the number of questions, for that difference, a smaller and a larger one.
size.plot()

# %%
# Repeats of cross-validation share their data, so the curve of each difference ends below 1, however many there are.
tb.sample_size(difference=0.03, question="splits", sd=0.03).plot()
