"""Posteriors on arrays, one file per family; nothing here knows of tables. Names are loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tiebreak.bayesian.joint_posterior import JointPosterior, joint_posterior  # at once: the module bears the function's name
from tiebreak.lazy_names import lazy_names

if TYPE_CHECKING:
    from tiebreak.bayesian.bayes_bootstrap import BayesianBootstrapPosterior, BootstrapProbabilities, bayesian_bootstrap
    from tiebreak.bayesian.bradley_terry import (
        BradleyTerryPosterior,
        WinCounts,
        bradley_terry_posterior,
        deal_out_ties,
        wins_with_local_rope,
    )
    from tiebreak.bayesian.correlated_t import RopeProbabilities, StudentPosterior, correlated_t_posterior
    from tiebreak.bayesian.hierarchical import HierarchicalPosterior, ShrunkenMeans, hierarchical_posterior
    from tiebreak.bayesian.sign import MedianPosterior, SignPosterior, median_posterior, sign_posterior
    from tiebreak.bayesian.signed_rank import SignedRankPosterior, signed_rank_posterior

_HOMES = {
    "BayesianBootstrapPosterior": "tiebreak.bayesian.bayes_bootstrap",
    "BootstrapProbabilities": "tiebreak.bayesian.bayes_bootstrap",
    "BradleyTerryPosterior": "tiebreak.bayesian.bradley_terry",
    "HierarchicalPosterior": "tiebreak.bayesian.hierarchical",
    "MedianPosterior": "tiebreak.bayesian.sign",
    "RopeProbabilities": "tiebreak.bayesian.correlated_t",
    "ShrunkenMeans": "tiebreak.bayesian.hierarchical",
    "SignPosterior": "tiebreak.bayesian.sign",
    "SignedRankPosterior": "tiebreak.bayesian.signed_rank",
    "StudentPosterior": "tiebreak.bayesian.correlated_t",
    "WinCounts": "tiebreak.bayesian.bradley_terry",
    "bayesian_bootstrap": "tiebreak.bayesian.bayes_bootstrap",
    "bradley_terry_posterior": "tiebreak.bayesian.bradley_terry",
    "correlated_t_posterior": "tiebreak.bayesian.correlated_t",
    "deal_out_ties": "tiebreak.bayesian.bradley_terry",
    "hierarchical_posterior": "tiebreak.bayesian.hierarchical",
    "median_posterior": "tiebreak.bayesian.sign",
    "sign_posterior": "tiebreak.bayesian.sign",
    "signed_rank_posterior": "tiebreak.bayesian.signed_rank",
    "wins_with_local_rope": "tiebreak.bayesian.bradley_terry",
}

__all__ = [
    "BayesianBootstrapPosterior",
    "BootstrapProbabilities",
    "BradleyTerryPosterior",
    "HierarchicalPosterior",
    "JointPosterior",
    "MedianPosterior",
    "RopeProbabilities",
    "ShrunkenMeans",
    "SignPosterior",
    "SignedRankPosterior",
    "StudentPosterior",
    "WinCounts",
    "bayesian_bootstrap",
    "bradley_terry_posterior",
    "correlated_t_posterior",
    "deal_out_ties",
    "hierarchical_posterior",
    "joint_posterior",
    "median_posterior",
    "sign_posterior",
    "signed_rank_posterior",
    "wins_with_local_rope",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES, __all__)
