"""A metric: its name as users say it, and its direction."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

HIGHER_IS_BETTER = frozenset(
    """accuracy adjusted_mutual_info_score adjusted_rand_score average_precision balanced_accuracy completeness_score
    d2_absolute_error_score d2_brier_score d2_log_loss_score explained_variance f1 f1_macro f1_micro f1_samples f1_weighted
    fowlkes_mallows_score homogeneity_score jaccard jaccard_macro jaccard_micro jaccard_samples jaccard_weighted
    matthews_corrcoef mutual_info_score normalized_mutual_info_score positive_likelihood_ratio precision precision_macro
    precision_micro precision_samples precision_weighted r2 rand_score recall recall_macro recall_micro recall_samples
    recall_weighted roc_auc roc_auc_ovo roc_auc_ovo_weighted roc_auc_ovr roc_auc_ovr_weighted top_k_accuracy
    v_measure_score""".split()
)
"""scikit-learn's scorers whose own value is the score; a test holds the list equal to scikit-learn's."""

LOWER_IS_BETTER = frozenset(
    """brier_score log_loss max_error mean_absolute_error mean_absolute_percentage_error mean_gamma_deviance
    mean_poisson_deviance mean_squared_error mean_squared_log_error median_absolute_error negative_likelihood_ratio
    root_mean_squared_error root_mean_squared_log_error""".split()
)
"""Losses that scikit-learn offers with the prefix ``neg_``; none of them is ever negative."""

SHARES = frozenset(
    name
    for name in HIGHER_IS_BETTER
    if name in {"accuracy", "average_precision", "balanced_accuracy", "top_k_accuracy", "rand_score"}
    or name.split("_")[0] in {"f1", "jaccard", "precision", "recall", "roc"}
)
"""Metrics between 0 and 1, which people also write in percent."""

_BOUNDS = {
    **dict.fromkeys(LOWER_IS_BETTER | {"mutual_info_score", "positive_likelihood_ratio"}, (0.0, float("inf"))),
    **dict.fromkeys(
        "completeness_score fowlkes_mallows_score homogeneity_score normalized_mutual_info_score v_measure_score".split(),
        (0.0, 1.0),
    ),
    **dict.fromkeys(
        """adjusted_mutual_info_score adjusted_rand_score d2_absolute_error_score d2_brier_score d2_log_loss_score
        explained_variance r2""".split(),
        (-float("inf"), 1.0),
    ),
    "matthews_corrcoef": (-1.0, 1.0),
}
"""Smallest and largest value of the others."""


def plain_name(name: str) -> str:
    """A name as names are compared: without case, blanks, hyphens, underscores, brackets, and a dot that shortens it."""
    return re.sub(r"[\s_()\[\]^'’-]+|\.$", "", name.casefold())


ABBREVIATIONS = {
    "acc": "accuracy",
    "adjusted rand index": "adjusted_rand_score",
    "ami": "adjusted_mutual_info_score",
    "ap": "average_precision",
    "area under roc curve": "roc_auc",
    "area under the roc curve": "roc_auc",
    "ari": "adjusted_rand_score",
    "auc": "roc_auc",
    "auc roc": "roc_auc",
    "auroc": "roc_auc",
    "avg precision": "average_precision",
    "bacc": "balanced_accuracy",
    "bal acc": "balanced_accuracy",
    "bal accuracy": "balanced_accuracy",
    "balanced acc": "balanced_accuracy",
    "brier": "brier_score",
    "brier loss": "brier_score",
    "brier score loss": "brier_score",
    "f1 measure": "f1",
    "f measure": "f1",
    "f score": "f1",
    "logloss": "log_loss",
    "macro averaged f1": "f1_macro",
    "macro avg f1": "f1_macro",
    "macro f1": "f1_macro",
    "mae": "mean_absolute_error",
    "mape": "mean_absolute_percentage_error",
    "matthews correlation": "matthews_corrcoef",
    "matthews correlation coefficient": "matthews_corrcoef",
    "mcc": "matthews_corrcoef",
    "medae": "median_absolute_error",
    "micro f1": "f1_micro",
    "mse": "mean_squared_error",
    "msle": "mean_squared_log_error",
    "nmi": "normalized_mutual_info_score",
    "predictive accuracy": "accuracy",
    "r squared": "r2",
    "r²": "r2",
    "rmse": "root_mean_squared_error",
    "rmsle": "root_mean_squared_log_error",
    "weighted avg f1": "f1_weighted",
    "weighted f1": "f1_weighted",
}
"""Other names of scikit-learn's metrics."""

_FULL = {plain_name(name): name for name in (*HIGHER_IS_BETTER, *LOWER_IS_BETTER)}
_FULL |= {plain_name(name): full for name, full in ABBREVIATIONS.items()}

_SHARES_OF_OTHERS = frozenset(
    """aucpr auprc dice iou map meanaverageprecision meaniou meanreciprocalrank miou mrr ndcg npv ppv prauc sensitivity
    specificity tnr tpr""".split()
)
_HIGHER_IN_PER_CENT = frozenset(
    """accnorm bertscore bleu bleurt ccc chrf chrf++ cider cindex clipscore cohenkappa cohenskappa comet concordance
    concordanceindex exactmatch f0.5 f2 fbeta gleu hit hitrate hitratio hota hr@1 hr@10 hr@100 hr@20 hr@3 hr@5 hr@50
    humannormalizedscore idf1 jaccardindex jaccardsimilarity kappa kendall kendallstau kendalltau meteor mota
    normalizedgini pass passrate pcc pearson pearsoncorrelation pearsonr plcc quadraticweightedkappa qwk resolved
    rouge rougel rougelsum sacrebleu solved solverate spearman spearmancorrelation spearmanr spearmanrho srcc ssim
    stoi success successrate top1 top10 top10accuracy top1acc top1accuracy top3 top5 top5acc top5accuracy winrate
    youdenj""".split()
)
_LOWER_IN_PER_CENT = frozenset(
    """cer charactererrorrate diarizationerrorrate ece eer equalerrorrate errorrate expectedcalibrationerror
    falsenegativerate falsepositiverate fnr fpr hamming hammingloss mdape meanabsolutepercentageerror
    misclassificationrate nmae nrmse phonemeerrorrate smape ter top1err top1error top5err top5error wape wer wmape
    worderrorrate zerooneloss""".split()
)
"""Metrics that people write as fractions and in per cent, and which may be above 1, or far below 1 per cent."""

_HIGHER = (
    _SHARES_OF_OTHERS
    | _HIGHER_IN_PER_CENT
    | frozenset(
        """adjr2 adjustedr2 adjustedrsquared dcg episodereturn episodereward episodicreturn gmean inceptionscore is
        harrellsc kge mos msssim nse pesq psnr reward sdr sdri sharperatio silhouettescore sisdr sisdri sisnr sisnri
        vmaf""".split()
    )
)
_LOWER = _LOWER_IN_PER_CENT | frozenset(
    """absrel ade asd assd bitsperbyte bitspercharacter bpb bpc ce chamferdistance crossentropy crps epe fad fde fid
    hausdorff hausdorff95 hausdorffdistance hausdorffdistance95 hd95 hinge hingeloss ibs integratedbrierscore
    intervalscore lpips mase mindcf mpjpe perplexity pinball pinballloss ppl quantileloss rmsse
    weightedquantileloss winklerscore wql""".split()
)
"""Metrics that scikit-learn has no scorer of, as `plain_name` writes them; those of which less is better are never negative."""

RATES = {
    **dict.fromkeys(
        """accuracy acc exactmatch em passrate pass pass1 successrate solverate hitrate winrate top1 top1accuracy top1acc top5
        top5accuracy top5acc top10accuracy topkaccuracy top1err top1error top5err top5error errorrate misclassificationrate
        zerooneloss match pass@1 acc@1 acc@5""".split(),
        "examples",
    ),
    **dict.fromkeys("recall sensitivity tpr falsenegativerate fnr".split(), "positives"),
    **dict.fromkeys("specificity tnr falsepositiverate fpr".split(), "negatives"),
    "rocauc": "both",
}
"""Of which examples of a test set a metric, as `plain_name` writes it, is a share or an area: then its error follows from it."""

_OFTEN_HIGHER = frozenset(
    """answercorrectness answerrelevance answerrelevancy answersimilarity auc averagereturn averagereward choice contextprecision
    contextrecall correct cumulativereward em episoderewardmean eprewmean factualcorrectness faithfulness includes iscorrect
    mainscore match meanepisodereward meanreturn meanreward modelgradedfact modelgradedqa pass passed pattern preference resolved
    return score solved success totalreward win""".split()
)
_OFTEN_LOWER = frozenset(
    """classificationerror deviance error evalloss kid loss negativeloglikelihood nll testerror testloss valerror validationerror
    validationloss valloss""".split()
)
"""Names with a usual direction, of which the caller may say the other one."""

_DIRECTIONS = {
    **dict.fromkeys(_LOWER | _OFTEN_LOWER, False),
    **dict.fromkeys(_HIGHER | _OFTEN_HIGHER, True),
    **{plain: full in HIGHER_IS_BETTER for plain, full in _FULL.items()},
}


PARTS = tuple("test holdout private public outer inner val valid validation dev eval cv train training".split())
"""Words for parts of the data, the one that a score should be of in front."""


_AROUND_METRIC = re.compile(
    r"(?i)^((eval_)?metrics|scores?|results?|classif|regr)[./]|^%\s*|\(\)$|\[(mean|0?\.\d+)\]$|(?<=\d)\([bmp]\)$"
    r"|[\s_]*((\bin )?[(\[]?%[)\]]?|[\s_][(\[]?(percent|pct)[)\]]?|[(\[](db|[mcknµ]?m|px|pixels?|°?[ck]|kelvin|deg(rees)?|°"
    r"|m/s|km/h|[mk]?wh?|[hkmg]?pa|mmhg|[mk]?ev(/(atom|å))?|k(cal|j)/mol|[µμmk]?g(/(m[3³]|d?l|kg))?|mm/(day|h)|bpm|years?|days?"
    r"|\$|usd|€|eur|bits?|nats?)[)\]])?\s*([(\[]?[↑↓⬆⬇]\ufe0f?[)\]]?)?$"
)
"""What tools and people write around the name of a metric."""


def bare_name(name: str) -> str:
    """Name of a metric without what stands around it: metrics.f1, classif.ce, Accuracy (%), RMSE [K] ↓, MASE[0.5]."""
    return _AROUND_METRIC.sub("", name.strip())


def without_part(name: str) -> str:
    """Name of a metric without the part of the data that it is of: test_acc, eval/loss."""
    part = "|".join(PARTS)
    return re.sub(rf"^({part})[ ._/-]+|[ ._/(\[-]+({part})[)\]]?$", "", bare_name(name), flags=re.IGNORECASE)


def _forms(name: str) -> Iterator[str]:
    """Plain forms of a name, the most literal first: "hits@10" and "hit_at_10" are a hit, "mAP50" a map, "macro AUC" an auc."""
    plain = plain_name(name)
    yield plain
    base = re.sub(r"@.*|at\d+$|(?<=[a-z])\d+$", "", plain)
    base = re.sub(r"^(macro|micro|weighted)|(macro|micro|weighted)$", "", base)
    yield from _spellings(base)


def _spellings(plain: str) -> tuple[str, ...]:
    """The name, and those without a plural s or the word score at the end."""
    return plain, plain.removesuffix("s"), re.sub(r"scores?$", "", plain)


def full_name(name: str) -> str:
    """Name in scikit-learn of a metric as people write it ("AUC", "Log loss"); the name itself where it has none."""
    own = re.sub(r"^neg[\s_-]+", "", name.strip().casefold())
    is_negated, plain = own != name.strip().casefold(), plain_name(own)
    full = next((_FULL[each] for each in _spellings(plain) if each in _FULL), name)
    if full in LOWER_IS_BETTER:
        return f"neg_{full}" if is_negated else full
    return name if is_negated else full


def meant_by(name: str) -> str:
    """Name in scikit-learn of a metric, be it of a part of the data or with a unit: accuracy of val_acc."""
    return full_name(without_part(name))


def direction_of(name: str) -> bool | None:
    """True where more of a metric is better, as its name tells however it is written, False where less is, None for others.

    Names that mean metrics of both kinds have none: "gini" and "ks" of scores and of samples, "err" for an error and for a
    reciprocal rank, a "lift".
    """
    return next((_DIRECTIONS[form] for form in _forms(without_part(name)) if form in _DIRECTIONS), None)


@dataclass(frozen=True, slots=True)
class Metric:
    """Name and direction of what was measured.

    Attributes
    ----------
    name : str
        As its users call it: scikit-learn's ``neg_log_loss`` is ``log_loss``.
    higher_is_better : bool
    """

    name: str
    higher_is_better: bool

    @property
    def sign(self) -> int:
        """+1 or -1: what turns a raw difference into one where positive favours the first model."""
        return 1 if self.higher_is_better else -1

    @property
    def is_share(self) -> bool:
        """True for a metric that lies between 0 and 1 by definition."""
        return meant_by(self.name) in SHARES or not _SHARES_OF_OTHERS.isdisjoint(_forms(meant_by(self.name)))

    @property
    def is_in_per_cent(self) -> bool:
        """True for a metric that people write as a fraction or in per cent, be it no share."""
        return self.is_share or not (_HIGHER_IN_PER_CENT | _LOWER_IN_PER_CENT).isdisjoint(_forms(meant_by(self.name)))

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value that the metric has by definition; infinite where there is none, or nothing is known."""
        if self.is_share:
            return 0.0, 1.0
        lowest = -float("inf") if _LOWER.isdisjoint(_forms(meant_by(self.name))) else 0.0
        return _BOUNDS.get(meant_by(self.name), (lowest, float("inf")))

    def bounds_of(self, lowest: float, highest: float) -> tuple[float, float]:
        """Smallest and largest value that the metric can have, for scores between `lowest` and `highest`; infinite where unknown.

        Scores that lie outside are in another unit, such as per cent, and have no known bounds.
        """
        low, high = self.bounds
        return (-float("inf"), float("inf")) if lowest < low or highest > high else (low, high)


class NamedMetric(NamedTuple):
    """A metric and the factor, +1 or -1, that turns values stored under the given name into it."""

    metric: Metric
    factor: int


def known_metric(name: str) -> NamedMetric | None:
    """The metric that a name means by itself, if it tells whether higher or lower is better.

    One with ``neg_`` is a negated loss, and nothing else.
    """
    whole = without_part(name)
    own = re.sub(r"^neg[\s_-]+", "", whole, flags=re.IGNORECASE)
    higher = direction_of(own)
    if own != whole:
        return NamedMetric(Metric(full_name(own), higher_is_better=False), -1) if higher is False else None
    return None if higher is None else NamedMetric(Metric(full_name(name), higher), 1)


def has_direction(name: str) -> bool:
    """True where the name of a metric tells whether higher or lower is better."""
    return known_metric(name) is not None


def is_known(name: str) -> bool:
    """True where the direction is a part of what the name means, so that nobody may say the other one.

    Of a "score", a "loss", and an "AUC", which may be that of another curve, they may.
    """
    return has_direction(name) and plain_name(without_part(name)) not in _OFTEN_HIGHER | _OFTEN_LOWER


def names_loss(name: str) -> bool:
    """True for the name of a loss that is never negative, such as "rmse"."""
    return is_known(name) and direction_of(name) is False


def joint_metric(metrics: Sequence[Metric]) -> Metric:
    """Stand-in for metrics that differ by dataset: their names, and higher is better, as scores are turned to compare them."""
    names = list(dict.fromkeys(metric.name for metric in metrics))
    few = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return Metric(few if len(names) <= _MOST_NAMED else f"{len(names)} metrics", higher_is_better=True)


_MOST_NAMED = 3
"""Metrics that are named where they stand for one."""
