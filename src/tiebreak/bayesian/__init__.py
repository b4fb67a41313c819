"""Posteriors on arrays, one file per family; nothing here knows of tables."""

from tiebreak.bayesian.correlated_t import RopeProbabilities, StudentPosterior, correlated_t_posterior
from tiebreak.bayesian.joint_posterior import JointPosterior, joint_posterior

__all__ = ["JointPosterior", "RopeProbabilities", "StudentPosterior", "correlated_t_posterior", "joint_posterior"]
