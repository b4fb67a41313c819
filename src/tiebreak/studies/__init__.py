"""Questions that are asked by measuring: curves, parts of a loss, the score of a choice."""
