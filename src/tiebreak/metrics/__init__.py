"""Metrics of models: from labels, probabilities and scores to numbers and curves.

`confusion_matrix`, `roc_curve`, `precision_recall_curve` and `calibration_curve` take arrays; a `CostMatrix` says what right and
wrong decisions cost. Of an evaluation, ``evaluation.confusion()``, ``.roc()``, ``.precision_recall()`` and ``.calibration()``
give the same for each model and fold. Names are loaded when they are first used.
"""

from tiebreak.lazy_names import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
