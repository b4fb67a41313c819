"""The answer: which model is better, which are equivalent, and which cannot be told apart yet."""
