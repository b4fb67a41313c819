from tiebreak.numerics.law import Law as Law
from tiebreak.numerics.law import RopeProbabilities as RopeProbabilities
from tiebreak.numerics.law import student as student
from tiebreak.statistics.splits import corrected_t as corrected_t
from tiebreak.statistics.splits import paired_t as paired_t
from tiebreak.statistics.time import ModelConfidenceSet as ModelConfidenceSet
from tiebreak.statistics.time import diebold_mariano as diebold_mariano
from tiebreak.statistics.time import model_confidence_set as model_confidence_set
