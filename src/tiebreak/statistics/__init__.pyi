from tiebreak.statistics.ratings import BattleColumns as BattleColumns
from tiebreak.statistics.ratings import BradleyTerry as BradleyTerry
from tiebreak.statistics.ratings import battles_of_scores as battles_of_scores
from tiebreak.statistics.ratings import bradley_terry as bradley_terry
