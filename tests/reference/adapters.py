"""The published reference cases in tiebreak's words: one function per procedure, ``f(inputs, options, load) -> {name: value}``.

An adapter renames, turns signs, counts, divides sizes, and takes plain means and standard deviations of its inputs; every t,
p-value, interval and probability comes from tiebreak's public functions. ``load`` takes the ``file`` of a case and returns its
table, as whichever is at hand: a mapping of column names to values, a list of such mappings (one for each row), a list of rows
of which the first holds the names, a frame, the text of the CSV, or the path of the CSV.

Fields, the same for all procedures (see the README next to the cases):

- scores: ``differences`` (model_1 minus model_2), or ``scores_1`` and ``scores_2``, or ``errors_1`` and ``errors_2``, or
  ``file`` with the columns ``model_1`` and ``model_2``. null is nan, "inf" is infinite. ``score_scale`` may say "divide by 100".
- rows of a file: ``rows`` such as "repeat == 1 and fold <= 5", and inputs named like a column of the file ("row": 2).
- n_test / n_train: ``n_test_over_n_train``, or ``n_train`` and ``n_test``, or ``rho``, or the folds (``k``, ``n_folds``,
  ``runs``), in the options or the inputs; without any, the scores are one k-fold cross-validation.
"""

import numpy as np

import tiebreak as tb

Named = dict[str, object]

CORRECTIONS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "benjamini_hochberg": "bh",
}
LEVELS = (0.5, 0.75, 0.95)
COUNTS = "no one two three four five six seven eight nine ten eleven twelve".split()


# --- procedures -----------------------------------------------------------------------------------------------------


def score_summary(inputs: dict, options: dict, load: object) -> Named:
    """Means, standard deviations, correlation over splits and ranking of all models of a table."""
    scores = _score_columns(inputs, load)
    answer = _compare(scores, inputs)
    order = list(scores)
    return {
        "means": [float(np.mean(values)) for values in scores.values()],
        "std_ddof0": [float(np.std(values)) for values in scores.values()],
        "std_ddof1": [float(np.std(values, ddof=1)) for values in scores.values()],
        "fold_correlation": answer.correlation.loc[order, order].to_numpy().tolist(),
        "ranking": [str(name) for name in answer.ranking["model"]],
    }


def corrected_resampled_t_test(inputs: dict, options: dict, load: object) -> Named:
    """Corrected test of one pair."""
    d = _differences(inputs, load)
    return _t_test(d, _ratio(inputs, options, d.size), options)


def paired_t_test(inputs: dict, options: dict, load: object) -> Named:
    """Ordinary paired test of one pair."""
    return _t_test(_differences(inputs, load), 0.0, options)


def corrected_resampled_t_test_table(inputs: dict, options: dict, load: object) -> Named:
    """Corrected test and rope probabilities of one pair on each dataset of a table, in file order."""
    columns = _selected(_columns(load(inputs["file"])), inputs)
    keys = columns["row"] if "row" in columns else columns["dataset"]
    one, two = (_numbers(columns[inputs[model]]) * _factor(inputs) for model in ("model_1", "model_2"))
    groups = [np.array([key == name for key in keys]) for name in dict.fromkeys(keys)]
    rows = [one[group] - two[group] for group in groups]
    width = max(row.size for row in rows)
    d = np.array([np.pad(row, (0, width - row.size), constant_values=np.nan) for row in rows])
    ratio, rope = _ratio(inputs, options, rows[0].size), _option("rope", inputs, options, 0.0)
    law = tb.statistics.corrected_t(d, ratio, omit_missing=True)
    above, inside, below = law.probabilities(rope)
    named = {
        "mean_difference": law.estimate,
        "standard_error": law.se,
        "t": law.statistic,
        # the tables write null for both t and p of identical scores (0/0), for which tiebreak says p = 1
        "p_two_sided": np.where(np.isnan(law.statistic), np.nan, law.pvalue()),
        "p_below_rope": below,
        "p_in_rope": inside,
        "p_above_rope": above,
    }
    return {name: np.asarray(values, dtype=float).tolist() for name, values in named.items()}


def corrected_resampled_t_test_unequal_folds(inputs: dict, options: dict, load: object) -> Named:
    """Corrected test under three readings of n_test / n_train."""
    d = _differences(inputs, load)
    n_test = _numbers(inputs["n_test_per_fold"])
    n_train = _numbers(inputs["n_train_per_fold"]) if "n_train_per_fold" in inputs else inputs["n_samples"] - n_test
    k = int(inputs.get("k", n_test.size))
    ratios = {
        "ratio_mean": float(np.mean(n_test / n_train)),
        "ratio_first_fold": float(n_test[0] / n_train[0]),
        "ratio_1_over_k_minus_1": 1.0 / (k - 1),
    }
    named: Named = dict(ratios)
    for name, ratio in ratios.items():
        law = tb.statistics.corrected_t(d, ratio)
        reading = name if name == "ratio_mean" else name.removeprefix("ratio_")
        named[f"t_{reading}"] = float(law.statistic)
        named[f"p_two_sided_{reading}"] = float(law.pvalue())
    return named


def kfold_paired_t_interval(inputs: dict, options: dict, load: object) -> Named:
    """Ordinary t interval of the mean difference of one k-fold cross-validation."""
    d = _differences(inputs, load)
    level = float(_option("confidence", inputs, options, 0.95))
    law = tb.statistics.paired_t(d)
    low, high = law.interval(level)
    multiplier = float(tb.statistics.student_quantile(0.5 + level / 2.0, d.size - 1))
    return {
        "k": d.size,
        "t_multiplier": multiplier,
        "mean": float(np.mean(d)),
        "sd_ddof1": float(np.std(d, ddof=1)),
        "half_width": multiplier * float(law.se),
        "low": float(low),
        "high": float(high),
    }


def student_t_quantile(inputs: dict, options: dict, load: object) -> Named:
    """Multipliers of intervals for numbers of folds k (df = k - 1), or for df."""
    probabilities = [_probability_of_column(name) for name in options["columns"]]
    key, lost = ("k", 1) if "k" in inputs else ("df", 0)
    values = inputs[key] if np.ndim(inputs[key]) else [inputs[key]]
    quantile = tb.statistics.student_quantile
    return {"multipliers": {str(value): [float(quantile(p, value - lost)) for p in probabilities] for value in values}}


def bayesian_correlated_t_test(inputs: dict, options: dict, load: object) -> Named:
    """Posterior of the mean difference of one pair, its rope probabilities and credible intervals."""
    d = _differences(inputs, load)
    law = tb.statistics.corrected_t(d, _ratio(inputs, options, d.size))
    ropes = _option("rope", inputs, options, 0.0)
    regions = [law.probabilities(rope) for rope in (ropes if np.ndim(ropes) else [ropes])]
    better, _, worse = law.probabilities(0.0)
    named: Named = {
        "posterior_location": float(law.estimate),
        "posterior_scale": float(law.se),
        "df": int(law.df),
        "p_model1_better": float(better),
        "p_model2_better": float(worse),
    }
    for name, region in (("p_above_rope", 0), ("p_in_rope", 1), ("p_below_rope", 2)):
        values = [float(probabilities[region]) for probabilities in regions]
        named[name] = values if np.ndim(ropes) else values[0]
    for level in (*LEVELS, *_option("credible_levels", inputs, options, ())):
        low, high = law.interval(level)
        named[f"ci{100 * level:g}_low"], named[f"ci{100 * level:g}_high"] = float(low), float(high)
    return named


def bayesian_sign_test(inputs: dict, options: dict, load: object) -> Named:
    """Counts of datasets by region, and how probable each region is."""
    d, prior = _dataset_differences(inputs, load), _prior(inputs, options, 1.0)
    posterior, limit = tb.statistics.sign_posterior(d, **prior), prior["rope"] + 1e-12 * np.abs(d).max()
    n_above, n_below = int(np.sum(d > limit)), int(np.sum(d < -limit))
    counts = {"n_below": n_below, "n_in_rope": d.size - n_above - n_below, "n_above": n_above}
    return counts | _regions(posterior.probabilities, posterior.mean)


def bayesian_signed_rank_test(inputs: dict, options: dict, load: object) -> Named:
    """Chances of the mean of two datasets, by region, and how probable each region is."""
    d = _dataset_differences(inputs, load)
    draws = int(_option("n_draws", inputs, options, 200_000 if d.size < 500 else 50_000))
    posterior = tb.statistics.signed_rank_posterior(d, n_draws=draws, **_prior(inputs, options, 0.5))
    return _regions(posterior.probabilities, posterior.mean)


def bayesian_hierarchical(inputs: dict, options: dict, load: object) -> Named:
    """Hierarchical test over datasets: decision, mean difference, and the next dataset."""
    rows = _rows_by_dataset(inputs, load)
    ratios = [_ratio(inputs, options, row.size) for row in rows]
    rope, level = float(_option("rope", inputs, options, 0.0)), float(_option("credible_level", inputs, options, 0.95))
    posterior = tb.statistics.hierarchical_posterior(rows, test_train_ratio=ratios, rope=rope)
    named = _regions(posterior.most_probable, posterior.next_dataset().probabilities(rope))
    below, inside, above = named.pop("posterior_mean_weights")
    better, equivalent, worse = posterior.law.probabilities(rope)
    return named | {
        "delta0_posterior_mean": posterior.law.estimate,
        "delta0_posterior_sd": float(posterior.law.se),
        "std0_posterior_mean": posterior.spread,
        f"delta0_ci{100 * level:g}": [float(end) for end in posterior.law.interval(level)],
        "delta0_p_below": float(worse),
        "delta0_p_in": float(equivalent),
        "delta0_p_above": float(better),
        "next_dataset_p_below": below,
        "next_dataset_p_in": inside,
        "next_dataset_p_above": above,
        "shrunken_means": posterior.datasets()[1].tolist(),
    }


def bradley_terry_mle(inputs: dict, options: dict, load: object) -> Named:
    """Abilities of highest likelihood, ties as half wins; null where they are not all finite."""
    rows = next(inputs[name] for name in ("wins_row_over_column", "wins") if name in inputs)
    wins = np.array([[0 if value is None else value for value in row] for row in rows], dtype=float)  # of a model over itself
    ties = np.triu(np.asarray(inputs.get("ties") or np.zeros(wins.shape), dtype=float))
    won, tied = np.nonzero(wins), np.nonzero(ties)
    first, second = np.concatenate([np.stack(won), np.stack(tied)], axis=1)
    score, weight = np.repeat([1.0, 0.5], [won[0].size, tied[0].size]), np.concatenate([wins[won], ties[tied]])
    ability = tb.statistics.bradley_terry(first, second, score, weight=weight, n_models=len(wins)).log_ability
    if not np.all(np.isfinite(ability)):
        return dict.fromkeys(("log_ability_sum_zero", "log_ability_first_zero", "ability_sum_one"))
    return {
        "log_ability_sum_zero": ability.tolist(),
        "log_ability_first_zero": (ability - ability[0]).tolist(),
        "ability_sum_one": (np.exp(ability) / np.exp(ability).sum()).tolist(),
    }


def bayesian_correlated_t_variance(inputs: dict, options: dict, load: object) -> Named:
    """Location, squared scale and df of the posterior."""
    d = _differences(inputs, load)
    law = tb.statistics.corrected_t(d, _ratio(inputs, options, d.size))
    return {
        "mean_difference": float(law.estimate),
        "mean_difference_2_minus_1": 0.0 - float(law.estimate),
        "variance_posterior": float(law.se) ** 2,
        "df": int(law.df),
    }


def bayesian_point_mass_regions(inputs: dict, options: dict, load: object) -> Named:
    """Rope probabilities of a posterior with a given mean and variance, which is 0 for a point mass."""
    scale, df = float(np.sqrt(inputs.get("variance", 0.0))), int(inputs.get("df", 1))
    triples = []
    for case in inputs["cases"]:
        mean, rope = float(case["mean"]), case.get("rope", inputs.get("rope", 0.0))
        if scale:
            law = tb.statistics.student(mean, scale, df)
        else:  # what two equal differences leave
            law = tb.statistics.paired_t([mean, mean])
        above, inside, below = law.probabilities(rope)
        triples.append([float(below), float(inside), float(above)])
    below, inside, above = ([triple[region] for triple in triples] for region in range(3))
    names = [_option(f"model_{n}", inputs, options, f"model{n}") for n in (1, 2)]
    regions = {"p_below_rope": below, "p_in_rope": inside, "p_above_rope": above}
    return {"p_below_in_above": triples, f"p_{names[0]}_better": above, f"p_{names[1]}_better": below, **regions}


def p_value_adjustment(inputs: dict, options: dict, load: object) -> Named:
    """Adjusted p-values by every correction; m may count more tests than are given."""
    p = _numbers(inputs["p_values"])
    m = max(p.size, int(_option("m", inputs, options, p.size)))
    family = np.pad(p, (0, m - p.size), constant_values=np.nan)  # a test without a p-value still counts
    adjust = tb.statistics.adjust_pvalues
    named: Named = {name: adjust(family, code)[: p.size].tolist() for name, code in CORRECTIONS.items()}
    finite = p[~np.isnan(p)]
    if finite.size < p.size:
        count = COUNTS[finite.size] if finite.size < len(COUNTS) else str(finite.size)
        named |= {f"{name}_of_the_{count}_finite": adjust(finite, code).tolist() for name, code in CORRECTIONS.items()}
    return named


def missing_scores(inputs: dict, options: dict, load: object) -> Named:
    """A pair with a missing score: undefined, unless the caller asks for the splits that both have."""
    d = _differences(inputs, load)
    present = d[~np.isnan(d)]
    ratio = _ratio(inputs, options, d.size)
    as_given = tb.statistics.corrected_t(d, ratio)
    asked = tb.statistics.corrected_t(d, ratio, omit_missing=True)
    return {
        "t": float(as_given.statistic),
        "p_two_sided": float(as_given.pvalue()),
        "n": present.size,
        "df": int(asked.df),
        "mean_difference_after_explicit_pairwise_drop": float(asked.estimate),
        "t_after_explicit_pairwise_drop": float(asked.statistic),
        "p_after_explicit_pairwise_drop": float(asked.pvalue()),
    }


def score_direction(inputs: dict, options: dict, load: object) -> Named:
    """Which of two models is better, in a metric of which lower or higher is better."""
    names = [str(inputs.get(name, name)) if "file" in inputs else name for name in ("model_1", "model_2")]
    one, two = _pair_of_scores(inputs, load)
    answer = _compare(dict(zip(names, (one, two), strict=True)), inputs)
    oriented = answer.pair(*names)
    wins = np.sign(np.where(np.abs(oriented.differences) <= oriented.law.tolerance, 0.0, oriented.differences))
    ranks = tb.statistics.rank_models(np.column_stack([one, two]), higher_is_better=answer.metric.higher_is_better)
    means = ranks.mean(axis=0).tolist()
    return {
        "mean_difference_raw": float(np.mean(one - two)),
        "better_model_by_mean": None if oriented.difference == 0 else names[0] if oriented.difference > 0 else names[1],
        "wins_model_1": int(np.sum(wins > 0)),
        "losses_model_1": int(np.sum(wins < 0)),
        "ties": int(np.sum(wins == 0)),
        "ranking": [str(name) for name in answer.ranking["model"]],
        "average_ranks": means,
        "average_rank_model_1": means[0],
        "average_rank_model_2": means[1],
        "ranks": ranks.tolist(),
        "ranks_model_1": ranks[:, 0].tolist(),
        "ranks_model_2": ranks[:, 1].tolist(),
    }


def proportion_interval(inputs: dict, options: dict, load: object) -> Named:
    """Intervals of one proportion."""
    x, n = inputs["successes"], inputs["n"]
    level = float(_option("confidence", inputs, options, 0.95))
    named: Named = {}
    for method in ("wilson", "clopper-pearson"):
        low, high = tb.statistics.proportion_interval(x, n, level=level, method=method)
        named[method.replace("-", "_")] = [float(low), float(high)]
    return {"estimate": x / n, **named}


def independent_error_rates_interval(inputs: dict, options: dict, load: object) -> Named:
    """Two error rates of independent test sets; the difference is that of the second and the first."""
    n, m = inputs["n_1"], inputs["n_2"]
    law = tb.statistics.z_test(inputs["error_1"] * n, n, inputs["error_2"] * m, m, pooled=False, higher_is_better=False)
    low, high = _normal_interval(law, float(_option("confidence", inputs, options, 0.95)))
    variance = law.se**2
    return {
        "difference": law.estimate,
        "variance": variance,
        "se": law.se,
        "half_width": (high - low) / 2,
        "low": low,
        "high": high,
        "z": law.statistic,
        "p_two_sided": law.pvalue() if law.se > 0 else float("nan"),
        "half_width_z_1_96": 1.96 * law.se,
        "contains_zero": bool(low <= 0 <= high),
        "half_width_from_rounded_variance": 1.96 * round(variance, 4) ** 0.5,
    }


def two_independent_proportions(inputs: dict, options: dict, load: object) -> Named:
    """Two counts of independent samples: z-tests and intervals of the difference."""
    x, n, y, m = (inputs[name] for name in ("x1", "n1", "x2", "n2"))
    level = float(_option("confidence", inputs, options, 0.95))
    law = tb.statistics.newcombe(x, n, y, m)
    tests = {name: tb.statistics.z_test(x, n, y, m, pooled=name == "pooled") for name in ("pooled", "unpooled")}
    named: Named = {"p1": x / n, "p2": y / m, "difference": law.estimate}
    for name, test in tests.items():
        # the cases have null for both z and p without a standard error; of equal rates tiebreak says p = 1
        z, p = (test.statistic, test.pvalue()) if test.se > 0 else (float("nan"),) * 2
        named |= {f"se_{name}": test.se, f"z_{name}": z, f"p_{name}_two_sided": p}
    named["variance_unpooled"] = float(named["se_unpooled"]) ** 2
    more = tb.statistics.z_test(x + 1, n + 2, y + 1, m + 2, pooled=False)  # Agresti and Caffo's
    wald = _normal_interval(tests["unpooled"], level)
    for name, (low, high) in {"wald": wald, "newcombe": law.interval(level), "agresti_caffo": more.interval(level)}.items():
        named |= {f"{name}_low": low, f"{name}_high": high}
    named["half_width"] = (named["wald_high"] - named["wald_low"]) / 2
    return named


def precision_recall_f1(inputs: dict, options: dict, load: object) -> Named:
    """Counts, and precision, recall and F1 of each class and averaged."""
    matrix = tb.metrics.confusion_matrix(inputs["y_true"], inputs["y_pred"])
    named: Named = {
        "labels": list(matrix.labels),
        "confusion": matrix.counts.tolist(),
        "accuracy": matrix.accuracy,
        "precision_per_class": matrix.precision.tolist(),
        "recall_per_class": matrix.recall.tolist(),
        "f1_per_class": matrix.f_beta().tolist(),
        "support": matrix.support.tolist(),
        "balanced_accuracy": matrix.balanced_accuracy,
    }
    for average in ("micro", "macro", "weighted"):
        for name, value in zip(("precision", "recall", "f1"), matrix.averaged(average), strict=True):
            named[f"{name}_{average}"] = value
    return named


def expected_cost(inputs: dict, options: dict, load: object) -> Named:
    """Cost of a confusion matrix, in total and per example."""
    matrix = tb.metrics.ConfusionMatrix(tuple(inputs["labels"]), np.array(inputs["confusion_actual_rows"]))
    cost = tb.CostMatrix(inputs["cost_actual_rows"], labels=inputs["labels"])
    return {"total_cost": cost.total_cost(matrix), "mean_cost": cost.expected_cost(matrix), "accuracy": matrix.accuracy}


def cost_sensitive_decision(inputs: dict, options: dict, load: object) -> Named:
    """The decision of least expected cost and, of two classes, the threshold that it amounts to."""
    cost = tb.CostMatrix(inputs["cost_actual_rows"], _option("labels", inputs, options, None))
    costs = cost.expected_costs(inputs["probabilities"])
    decisions = np.array([cost.labels.index(label) for label in cost.decisions(inputs["probabilities"]).tolist()])
    chosen = costs[np.arange(len(decisions)), decisions]
    return {
        "expected_cost_per_decision": costs.tolist(),
        "decision_index": decisions.tolist(),
        "min_expected_cost": chosen.tolist(),
        "mean_min_expected_cost": float(np.mean(chosen)),
        **({"threshold": cost.threshold()} if len(cost.labels) == 2 else {}),
    }


def roc_curve_and_auc(inputs: dict, options: dict, load: object) -> Named:
    """The points of the curve but for the first, which calls nothing positive; the area with its variance."""
    curve = tb.metrics.roc_curve(inputs["labels"], inputs["scores"])
    precision_recall = tb.metrics.precision_recall_curve(inputs["labels"], inputs["scores"])
    columns = {"threshold": curve.thresholds, "tpr": curve.tpr, "fpr": curve.fpr}
    counts = {"tp": curve.tp, "fp": curve.fp, "fn": curve.fn, "tn": curve.tn}
    return {
        **{name: values[1:].tolist() for name, values in (columns | counts).items()},
        "auc": curve.auc,
        "pairs_won": int(curve.area.pairs_won[0]),
        "pairs_tied": int(curve.area.pairs_tied[0]),
        "pairs_total": curve.n_positive * curve.n_negative,
        "average_precision": precision_recall.average_precision,
        "delong_variance": float(curve.area.variance[0]),
    }


def no_information_rate(inputs: dict, options: dict, load: object) -> Named:
    """Error rate of predictions that have nothing to do with the classes, of a matrix with these shares."""
    shares = np.outer(inputs["class_proportions"], inputs["prediction_proportions"])
    matrix = tb.metrics.ConfusionMatrix(tuple(range(len(shares))), np.rint(1e12 * shares))
    return {"gamma": matrix.no_information_rate}


def mcnemar(inputs: dict, options: dict, load: object) -> Named:
    """McNemar's test in all variants, and the textbook's and the score interval of the difference."""
    counts = both, only_first, only_second, neither = _paired_counts(inputs)
    law = tb.statistics.tango(*counts)
    tests = {
        name: tb.statistics.mcnemar(only_first, only_second, variant)
        for name, variant in (("exact", "exact"), ("mid", "mid-p"), ("uncorrected", "chi2"), ("corrected", "chi2-corrected"))
    }
    chi2 = {f"chi2_{name}": float(tests[name].statistic) for name in ("uncorrected", "corrected")}
    # without a discordant example the cases write null for a chi-squared and its p (0/0), for which tiebreak says p = 1
    pvalues = {f"p_{name}": float(np.nan if np.isnan(test.statistic) else test.pvalue) for name, test in tests.items()}
    named: Named = {
        "both_correct": both,
        "only_1_correct": only_first,
        "only_2_correct": only_second,
        "both_wrong": neither,
        "n_discordant": float(only_first + only_second),
        "z_signed": float(np.sign(law.estimate) * np.sqrt(tests["uncorrected"].statistic)),
        "accuracy_difference": float(law.estimate),
        "wald_se_difference": float(law.se),
        **chi2,
        **pvalues,
    }
    for level in dict.fromkeys((0.95, 0.9, 0.99, *_levels(options))):
        halves = tb.statistics.tango(*(count + 0.5 for count in counts))  # Agresti and Min's
        for method, (low, high) in {
            "wald": _normal_interval(law, level),
            "tango": law.interval(level),
            "agresti_min": _normal_interval(halves, level),
        }.items():
            named |= {f"{method}_ci{100 * level:g}_low": float(low), f"{method}_ci{100 * level:g}_high": float(high)}
    return named


def paired_classification(inputs: dict, options: dict, load: object) -> Named:
    """Two models on the same examples, by all tests of two; without predictions in the case, a model against itself."""
    if not inputs.keys() - {"note"}:
        inputs = {"labels": [0, 1] * 10, "scores_1": list(range(20)), "scores_2": list(range(20)), "correct_1": [1, 0, 1, 1] * 5}
        inputs["correct_2"] = inputs["correct_1"]
    named = mcnemar(inputs, options, load)
    return named | (delong_paired(inputs, options, load) if "scores_1" in inputs or "file" in inputs else {})


def cochran_q(inputs: dict, options: dict, load: object) -> Named:
    """Cochran's Q; the table of a case has one row for each example."""
    if "correct" in inputs:
        given = inputs["correct"]
        correct = np.array(list(given.values())) if hasattr(given, "values") else np.array(given).T
    else:
        names = sorted(name for name in inputs if name.startswith(("y_pred", "correct_")))
        correct = np.array([_correct(inputs, name) for name in names])
    result = tb.statistics.cochran_q(correct)
    return {"q": result.statistic, "p": result.pvalue, "df": result.df, "accuracies": correct.mean(axis=1).tolist()}


def delong_paired(inputs: dict, options: dict, load: object) -> Named:
    """Two areas under ROC curves on the same examples."""
    labels, scores = _ranked(inputs, options, load)
    areas = tb.statistics.roc_areas(labels, scores)
    law = areas.difference(0, 1)
    normal = tb.statistics.student(law.estimate, law.se, kind=law.kind)
    (one, two), covariance = areas.estimate, areas.covariance
    size = float(np.sqrt(covariance[0, 0] * covariance[1, 1]))
    correlation = float(covariance[0, 1]) / size if size > 0 else 0.0
    is_same = law.se == 0 and law.estimate == 0
    named: Named = {
        "auc_1": float(one),
        "auc_2": float(two),
        "difference": float(one - two),
        "var_1": float(covariance[0, 0]),
        "var_2": float(covariance[1, 1]),
        "covariance": float(covariance[0, 1]),
        "correlation": correlation,
        "var_difference": law.se**2,
        "se_difference": law.se,
        "n_positive": areas.n_positive,
        "n_negative": areas.n_negative,
        "z": 0.0 if is_same else normal.statistic,
        "p_two_sided": 1.0 if is_same else normal.pvalue(),
        "p_greater": normal.pvalue("greater"),
        "p_less": normal.pvalue("less"),
    }
    for level in dict.fromkeys((0.95, 0.9, 0.99, *_levels(options))):
        text = f"ci{100 * level:g}"
        logit, (low, high) = areas.interval(level), normal.interval(level)
        for k, variance in enumerate(areas.variance):
            alone = tb.statistics.student(areas.estimate[k], np.sqrt(variance)).interval(level)
            for side, end, cut in (("low", 0, 0.0), ("high", 1, 1.0)):
                named[f"auc_{k + 1}_{text}_{side}"] = float((np.maximum, np.minimum)[end](alone[end], cut))
                named[f"logit_{k + 1}_{text}_{side}"] = float(logit[end][k])
        named |= {f"diff_{text}_low": float(low), f"diff_{text}_high": float(high)}
    return named


def delong_unpaired(inputs: dict, options: dict, load: object) -> Named:
    """Two areas as of independent test sets."""
    if "labels_1" in inputs:
        sets = [(inputs[f"labels_{k}"], _turned(_numbers(inputs[f"scores_{k}"]), options)) for k in (1, 2)]
    else:
        labels, scores = _ranked(inputs, options, load)
        sets = [(labels, row) for row in scores]
    areas = [tb.statistics.roc_areas(labels, row) for labels, row in sets]
    law = tb.statistics.independent_areas(*areas)
    normal = tb.statistics.student(law.estimate, law.se)
    return {
        "auc_1": float(areas[0].estimate[0]),
        "auc_2": float(areas[1].estimate[0]),
        "difference": law.estimate,
        "var_1": float(areas[0].variance[0]),
        "var_2": float(areas[1].variance[0]),
        "var_difference": law.se**2,
        "d": law.statistic,
        "z": normal.statistic,
        "df": law.df,
        "p_t_two_sided": law.pvalue(),
        "p_normal_two_sided": normal.pvalue(),
        "p_two_sided": normal.pvalue(),
    }


def delong_contrast(inputs: dict, options: dict, load: object) -> Named:
    """Contrasts of several areas on the same examples: each, and all at once."""
    labels, scores = _ranked(inputs, options, load)
    several = tb.statistics.roc_areas(labels, scores)
    names = ("contrasts", "contrast", "L", "contrast_matrix")
    given = [each[name] for each in (inputs, options) for name in names if name in each]
    n = len(scores)
    rows = given[0] if given else [[float(k == j) - float(k == j + 1) for k in range(n)] for j in range(n - 1)]
    law, result = several.contrast(rows)
    is_same = (law.estimate == 0) & (law.se == 0)
    low, high = (law.estimate + sign * 1.959963984540054 * law.se for sign in (-1, 1))
    each = {
        "estimate": law.estimate,
        "se": law.se,
        "standard_error": law.se,
        "variance": law.se**2,
        "z": np.where(is_same, 0.0, law.statistic),
        "p_each": law.pvalue(),
        "ci95_low": low,
        "ci95_high": high,
    }
    # a single contrast is written without brackets
    named: Named = {name: float(value[0]) if np.ndim(rows) == 1 else value.tolist() for name, value in each.items()}
    joint = {"chi2": result.statistic, "df": result.df, "p": result.pvalue, "p_two_sided": result.pvalue}
    more = {"aucs": several.estimate.tolist(), "auc": several.estimate.tolist(), "covariance": several.covariance.tolist()}
    sizes = {"n_positive": several.n_positive, "n_negative": several.n_negative}
    return named | joint | more | sizes


def cluster_robust_se_mean(inputs: dict, options: dict, load: object) -> Named:
    """Mean with its error by every form of the variance."""
    return _clustered(_numbers(inputs["values"]), inputs, options)


def cluster_robust_se_paired_difference(inputs: dict, options: dict, load: object) -> Named:
    """The same of paired differences, with the errors that ignore the pairing beside."""
    if "values_1" not in inputs:
        return _clustered(_differences(inputs, load), inputs, options)
    one, two = _numbers(inputs["values_1"]), _numbers(inputs["values_2"])
    alone = [tb.statistics.clustered_mean(values, variance="independent").se for values in (one, two)]
    named = _clustered(one - two, inputs, options)
    return named | {
        "mean_1": float(np.mean(one)),
        "mean_2": float(np.mean(two)),
        "correlation": float(np.corrcoef(one, two)[0, 1]),
        "se_1": alone[0],
        "se_2": alone[1],
        "se_unpaired": float(np.hypot(*alone)),
    }


def permutation_test_paired(inputs: dict, options: dict, load: object) -> Named:
    """Sign flips of paired differences."""
    d = _differences(inputs, load) if "x" not in inputs else _numbers(inputs["x"]) - _numbers(inputs["y"])
    result = tb.statistics.permutation_test_paired(d)
    return {"observed_mean": result.observed, **_permutations(result)}


def permutation_test_unpaired(inputs: dict, options: dict, load: object) -> Named:
    """All ways to deal out the scores of two samples."""
    x, y = (_numbers(inputs[name]) for name in (("x", "y") if "x" in inputs else ("scores_1", "scores_2")))
    return _permutations(tb.statistics.permutation_test_unpaired(x, y))


def bootstrap_intervals_exact(inputs: dict, options: dict, load: object) -> Named:
    """The bootstrap of all possible resamples."""
    return _bootstrap(inputs, options, exact=True)


def bootstrap_intervals_mc(inputs: dict, options: dict, load: object) -> Named:
    """The bootstrap of 100,000 random resamples, and for means the interval of normal theory beside."""
    return _bootstrap(inputs, options, exact=False, n_resamples=100_000)


def five_by_two_cv_t_and_f(inputs: dict, options: dict, load: object) -> Named:
    """Both tests of five repetitions of two-fold cross-validation."""
    named = [name for name in ("differences", "scores_1", "errors_1") if name in inputs]
    one = np.array(inputs[named[0]], dtype=float)
    d = one if named[0] == "differences" else one - np.array(inputs[named[0].replace("1", "2")], dtype=float)
    d = d.reshape(5, 2) if d.shape == (10,) else d
    t, f = tb.statistics.five_by_two_cv_test(d)
    return {
        "variances": np.var(d, axis=1, ddof=1).tolist(),
        "t": t.statistic,
        "df": t.df,
        "p_two_sided": t.pvalue,
        "F": f.statistic,
        "df1": f.df,
        "df2": f.df2,
        "p_F": f.pvalue,
    }


def five_by_two_cv_critical_values(inputs: dict, options: dict, load: object) -> Named:
    """Smallest statistics that reject; single numbers for one level, lists for several."""
    levels = _listed(_option("alpha", inputs, options, 0.05))
    value = tb.statistics.five_by_two_cv_critical_value
    tests = {"t_5_two_sided": "t", "F_10_5": "F"}
    named = {name: [value(float(alpha), test=test) for alpha in levels] for name, test in tests.items()}
    return {name: values[0] if len(values) == 1 else values for name, values in named.items()}


def model_confidence_set(inputs: dict, options: dict, load: object) -> Named:
    """p-values and members of the model confidence set by both statistics, with 20,000 resamples."""
    if "file" in inputs:
        columns = _columns(load(inputs["file"]))
        names = inputs.get("models", list(columns))
        table = np.array([_numbers(columns[name]) for name in names])
    elif hasattr(inputs["losses"], "values"):
        table = np.array([_numbers(values) for values in inputs["losses"].values()])
        names = list(inputs["losses"])
    else:  # one row for each period
        table = np.array([_numbers(row) for row in inputs["losses"]]).T
        names = list(_option("models", inputs, options, list(map(str, range(len(table))))))
    if "higher" in str(inputs.get("loss", "")):
        table = -table
    size = float(_option("size", inputs, options, 0.1))
    length = int(_option("block_length", inputs, options, _option("block_size", inputs, options, 1)))
    named: Named = {}
    for short, statistic in (("R", "range"), ("max", "max")):
        pvalues = tb.statistics.model_confidence_set(table, statistic=statistic, block_length=length, n_resamples=20_000)
        named[f"p_values_{short}"] = pvalues.tolist()
        for alpha in dict.fromkeys((size, 0.05, 0.1, 0.25)):
            members = [name for name, is_in in zip(names, pvalues > alpha, strict=True) if is_in]
            named[f"set_{100 * (1 - alpha):g}_{short}"] = members
    return named


def wilcoxon_signed_rank(inputs: dict, options: dict, load: object) -> Named:
    """Signed-rank test of one difference for each dataset, in every variant that packages have."""
    d, scale = _differences_of_datasets(inputs, load)

    exact = tb.statistics.wilcoxon(d, scale=scale, method="exact")
    ranks, pratt, split = (tb.statistics.signed_ranks(d, scale=scale, zeros=zeros) for zeros in ("drop", "pratt", "split"))
    centred = (ranks.w_plus - ranks.w_minus) / 2
    named = {
        "n": exact.n_units,
        "n_zero": ranks.n_zero,
        "n_used": ranks.n_used,
        "w_plus": ranks.w_plus,
        "w_minus": ranks.w_minus,
        "statistic_min": min(ranks.w_plus, ranks.w_minus),
        "n_tie_groups": ranks.n_tie_groups,
        "rank_biserial": ranks.rank_biserial,
        "hodges_lehmann": exact.estimate,
        "z": ranks.zscore,
        "z_continuity": np.sign(centred) * max(abs(centred) - 0.5, 0.0) / ranks.sd if ranks.sd else float("nan"),
        "pratt_w_plus": pratt.w_plus,
        "pratt_w_minus": pratt.w_minus,
        "pratt_z": pratt.zscore,
        "demsar_n": split.n_used,
        "demsar_r_plus": split.w_plus,
        "demsar_r_minus": split.w_minus,
        "demsar_t": min(split.w_plus, split.w_minus),
        "demsar_z": 0.0 - abs(split.zscore),  # of the smaller sum
    }
    ways = {
        "p_exact": {"method": "exact"},
        "p_normal": {"method": "normal", "continuity": False},
        "p_normal_continuity": {"method": "normal"},
        "pratt_p_exact": {"zeros": "pratt", "method": "exact"},
        "pratt_p_normal": {"zeros": "pratt", "method": "normal", "continuity": False},
        "pratt_p_normal_continuity": {"zeros": "pratt", "method": "normal"},
        "demsar_p": {"zeros": "split", "method": "normal", "continuity": False},
    }
    for name, how in ways.items():
        for side in ("two-sided", "greater", "less"):
            named[f"{name}_{side.replace('-', '_')}"] = tb.statistics.wilcoxon(d, scale=scale, **how).pvalue(side)
    low, high = exact.interval(float(_option("confidence", inputs, options, 0.95)))
    return named | {"hodges_lehmann_low": low, "hodges_lehmann_high": high}


def wilcoxon_critical_values(inputs: dict, options: dict, load: object) -> Named:
    """Largest rank sums that reject, for numbers of differences and levels."""
    levels = _critical_levels(inputs, options)
    value = tb.statistics.wilcoxon_critical_value
    rows = {str(n): [value(n, alpha, alternative=side) for alpha, side in levels] for n in _listed(inputs["n"])}
    return {"critical_min_rank_sum": rows, "critical_rank_sum": rows, "critical_values": rows}


def sign_test(inputs: dict, options: dict, load: object) -> Named:
    """Sign test of one difference for each dataset, ties dropped or split."""
    if "wins" in inputs:
        counts = [int(inputs[name]) if name in inputs else 0 for name in ("wins", "losses", "ties")]
        d, scale = np.repeat([1.0, -1.0, 0.0], counts), None
    else:
        d, scale = _differences_of_datasets(inputs, load)
    (wins, losses, tied, _, counted), split = (tb.statistics.sign_counts(d, scale=scale, ties=ties) for ties in ("drop", "split"))
    named = {
        "wins": wins,
        "losses": losses,
        "ties": tied,
        "n_without_ties": counted,
        "wins_ties_split": split[3],
        "n_ties_split": split[4],
    }
    for side in ("two-sided", "greater", "less"):
        for name, ties in (("p", "drop"), ("p_ties_split", "split")):
            p = tb.statistics.sign_test(d, scale=scale, ties=ties).pvalue(side)
            named[f"{name}_{side.replace('-', '_')}"] = p
    for alpha, z in ((0.05, 1.96), (0.1, 1.645), (0.01, 2.576)):  # the cases have quantiles as textbooks print them
        for name, n in (("", named["n_ties_split"]), ("_without_ties", named["n_without_ties"])):
            level = f"{100 * alpha:02.0f}"
            named[f"critical_wins{name}_normal_{level}"] = n / 2 + z * n**0.5 / 2
            named[f"critical_wins{name}_{level}"] = tb.statistics.sign_test_critical_value(n, alpha)[0] if n else None
    return named


def sign_test_critical_values(inputs: dict, options: dict, load: object) -> Named:
    """Wins and losses that reject, for numbers of differences and levels: exact, and by the normal approximation."""
    levels = _critical_levels(inputs, options)
    value = tb.statistics.sign_test_critical_value
    sizes = next(inputs[name] for name in ("n", "n_datasets", "N") if name in inputs)
    rows = {str(n): [value(n, alpha, alternative=side) for alpha, side in levels] for n in _listed(sizes)}

    wins, normal = ({n: [each[k] for each in row] for n, row in rows.items()} for k in (0, 1))
    losses = {n: [None if each is None else int(n) - each for each in row] for n, row in wins.items()}
    rounded = {n: [int(np.ceil(each)) for each in row] for n, row in normal.items()}
    return {
        **dict.fromkeys(("critical_wins", "critical_min_wins", "critical_wins_exact", "critical_values"), wins),
        **dict.fromkeys(("critical_losses", "critical_max_losses", "critical_min_count", "critical_smaller_count"), losses),
        "critical_wins_normal": normal,
        "critical_wins_normal_rounded_up": rounded,
    }


def friedman(inputs: dict, options: dict, load: object) -> Named:
    """Average ranks, and Friedman's and Iman and Davenport's tests with and without the correction for ties."""
    _, table, higher = _dataset_table(inputs, options, load)
    tied = tb.statistics.friedman_test(table, higher_is_better=higher)
    plain = tb.statistics.friedman_test(table, higher_is_better=higher, tie_correction=False)
    n = len(table)
    return _friedman_names(plain, n, "no_tie_correction") | _friedman_names(tied, n, "tie_corrected")


def friedman_from_ranks(inputs: dict, options: dict, load: object) -> Named:
    """The same from average ranks alone, with Nemenyi's and Bonferroni and Dunn's differences."""
    ranks, n = _given_ranks(inputs, options)
    test = tb.statistics.friedman_from_ranks(ranks, n)
    named = _friedman_names(test, n, "no_tie_correction")
    short = {
        "chi2": test.friedman.statistic,
        "p": test.friedman.pvalue,
        "p_chi2": test.friedman.pvalue,
        "F": test.iman_davenport.statistic,
        "iman_davenport": test.iman_davenport.statistic,
        "iman_davenport_F": test.iman_davenport.statistic,
        "p_F": test.iman_davenport.pvalue,
        "friedman_chi2": test.friedman.statistic,
        "friedman_p": test.friedman.pvalue,
        "iman_davenport_statistic": test.iman_davenport.statistic,
        "p_iman_davenport": test.iman_davenport.pvalue,
        "iman_davenport_p": test.iman_davenport.pvalue,
    }
    distances = _rank_distances(ranks, n, _alphas(inputs, options))
    alpha = _listed(_option("alpha", inputs, options, 0.05))[0]
    first = {"cd": distances[f"cd_{alpha:g}"], "q": distances[f"q_{alpha:g}"]}
    both = {"cd_nemenyi": distances[f"cd_{alpha:g}"], "cd_bonferroni_dunn": distances[f"cd_bonferroni_dunn_{alpha:g}"]}
    return named | short | distances | first | both


def friedman_posthoc_all_pairs(inputs: dict, options: dict, load: object) -> Named:
    """z-tests of all pairs of average ranks, by every correction."""
    names, ranks, n = _ranks_of(inputs, options, load)
    tests = tb.statistics.rank_differences(ranks, n)
    pvalues = tests.pvalue()
    order = _pair_order(names, _option("pairs", inputs, options, None))
    named = {
        "average_ranks": ranks.tolist(),
        "standard_error": _rank_error(ranks, n),
        "z": (0.0 - tests.statistic)[order].tolist(),  # the cases have rank of the first less rank of the second
        "p_values": pvalues[order].tolist(),
    }
    adjusted = _all_pairs_adjusted(pvalues)
    return named | {name: values[order].tolist() for name, values in adjusted.items()}


def friedman_posthoc_control(inputs: dict, options: dict, load: object) -> Named:
    """z-tests of a control and each other model, by every correction."""
    names, ranks, n = _ranks_of(inputs, options, load)
    control = names.index(_option("control", inputs, options, names[0]))
    tests = tb.statistics.rank_differences(ranks, n, control=control)
    pvalues, others = tests.pvalue(), [name for name in names if name != names[control]]
    order = [others.index(name) for name in _option("order", inputs, options, others)]
    named = {
        "standard_error": _rank_error(ranks, n),
        "z": (0.0 - tests.statistic)[order].tolist(),
        "p_values": pvalues[order].tolist(),
    }
    adjust = tb.statistics.adjust_pvalues
    named |= {name: adjust(pvalues, code)[order].tolist() for name, code in CORRECTIONS.items()}
    return named | _rank_distances(ranks, n, _alphas(inputs, options))


def nemenyi(inputs: dict, options: dict, load: object) -> Named:
    """Critical differences, p-values and groups of Nemenyi's test."""
    names, ranks, n = _ranks_of(inputs, options, load)
    pvalues = tb.statistics.nemenyi(ranks, n)
    named = {"average_ranks": ranks.tolist(), "standard_error": _rank_error(ranks, n), "p_values": pvalues.tolist()}
    for alpha in _alphas(inputs, options):
        cliques = tb.statistics.rank_cliques(ranks, tb.statistics.critical_difference(ranks.size, n, alpha))
        named[f"cliques_{alpha:g}"] = [[names[k] for k in clique] for clique in cliques]
    return named | _rank_distances(ranks, n, _alphas(inputs, options))


def nemenyi_bonferroni_dunn_q(inputs: dict, options: dict, load: object) -> Named:
    """Multipliers of the standard error for numbers of models, against all pairs and against a control."""
    alpha, quantile = float(_option("alpha", inputs, options, 0.05)), tb.statistics.rank_quantile
    return {
        f"q_{test.replace('-', '_')}": [quantile(k, alpha, test=test) for k in _listed(inputs["k"])]
        for test in ("nemenyi", "bonferroni-dunn")
    }


def nemenyi_finite_df(inputs: dict, options: dict, load: object) -> Named:
    """Critical difference with infinitely many degrees of freedom, and with those of a package."""
    k, n = int(inputs["k"]), int(inputs["n"])
    alpha, df = float(_option("alpha", inputs, options, 0.05)), _option("df", inputs, options, None)
    difference = tb.statistics.critical_difference
    named = {"cd_infinite_df": difference(k, n, alpha)}
    if df is not None:
        named |= dict.fromkeys((f"cd_df_{df:g}", "cd_finite_df"), difference(k, n, alpha, df=float(df)))
    return named


def p_value_adjustment_all_pairs(inputs: dict, options: dict, load: object) -> Named:
    """Adjusted p-values of all pairs, by corrections that know how the pairs hang together too."""
    p = _numbers(inputs["p_values"])
    pairs = inputs.get("pairs")
    names = list(inputs["models"]) if "models" in inputs else list(dict.fromkeys(name for pair in pairs or () for name in pair))
    order = _pair_order(names, pairs) if pairs else np.arange(p.size)
    in_order = np.empty(p.size)
    in_order[order] = p
    return {name: values[order].tolist() for name, values in _all_pairs_adjusted(in_order).items()}


def shaffer_S_sets(inputs: dict, options: dict, load: object) -> Named:
    """Numbers of pairs of models that can be alike at the same time."""
    return {"S": {str(k): list(tb.statistics.shaffer_sets(int(k))) for k in _listed(inputs["k"])}}


def bernoulli_standard_error(inputs: dict, options: dict, load: object) -> Named:
    """Textbook errors of two rates on one test set each, from the Wald interval and the unpooled z-test."""
    named: Named = {}
    for name, case in inputs["evals"].items():
        n, rates = case["n"], [case["score_1"], case["score_2"]]
        law = tb.statistics.z_test(rates[0] * n, n, rates[1] * n, n, pooled=False)
        errors = [tb.statistics.tango(0, rate * n, 0, n - rate * n).se for rate in rates]
        named[name] = dict(zip(("se_1", "se_2"), errors, strict=True)) | {
            "se_diff_unpaired": law.se,
            "difference": law.estimate,
        }
    return named


ADAPTERS = {
    adapter.__name__: adapter
    for adapter in (
        score_summary,
        corrected_resampled_t_test,
        corrected_resampled_t_test_table,
        corrected_resampled_t_test_unequal_folds,
        paired_t_test,
        kfold_paired_t_interval,
        student_t_quantile,
        bayesian_correlated_t_test,
        bayesian_sign_test,
        bayesian_signed_rank_test,
        bayesian_hierarchical,
        bradley_terry_mle,
        bayesian_correlated_t_variance,
        bayesian_point_mass_regions,
        p_value_adjustment,
        missing_scores,
        score_direction,
        proportion_interval,
        independent_error_rates_interval,
        two_independent_proportions,
        precision_recall_f1,
        expected_cost,
        cost_sensitive_decision,
        roc_curve_and_auc,
        no_information_rate,
        wilcoxon_signed_rank,
        wilcoxon_critical_values,
        sign_test,
        sign_test_critical_values,
        friedman,
        friedman_from_ranks,
        friedman_posthoc_all_pairs,
        friedman_posthoc_control,
        nemenyi,
        nemenyi_bonferroni_dunn_q,
        nemenyi_finite_df,
        p_value_adjustment_all_pairs,
        shaffer_S_sets,
        mcnemar,
        paired_classification,
        cochran_q,
        delong_paired,
        delong_unpaired,
        delong_contrast,
        cluster_robust_se_mean,
        cluster_robust_se_paired_difference,
        permutation_test_paired,
        permutation_test_unpaired,
        bootstrap_intervals_exact,
        bootstrap_intervals_mc,
        model_confidence_set,
        bernoulli_standard_error,
    )
}
ADAPTERS["5x2cv_t_and_F"] = five_by_two_cv_t_and_f  # no names that a function can have
ADAPTERS["5x2cv_critical_values"] = five_by_two_cv_critical_values


# --- shared by the procedures ---------------------------------------------------------------------------------------


def _t_test(d: np.ndarray, ratio: float, options: dict) -> Named:
    law = tb.statistics.corrected_t(d, ratio)
    named: Named = {
        "n": d.size,
        "df": int(law.df),
        "mean_difference": float(law.estimate),
        "variance_ddof1": float(law.se) ** 2 / (1.0 / d.size + ratio),
        "standard_error": float(law.se),
        "t": float(law.statistic),
        "p_two_sided": float(law.pvalue()),
    }
    for side in ("greater", "less"):
        named[f"p_{side}"] = float(law.pvalue(side))
    for level in dict.fromkeys((*LEVELS, 0.9, 0.99, *_levels(options))):
        low, high = law.interval(level)
        named[f"ci{100 * level:g}_low"], named[f"ci{100 * level:g}_high"] = float(low), float(high)
    if "family_size" in options:
        others = [np.nan] * (int(options["family_size"]) - 1)  # tests of the family that this case does not hold
        for side in ("two_sided", "greater", "less"):
            for name, code in CORRECTIONS.items():
                adjusted = tb.statistics.adjust_pvalues([named[f"p_{side}"], *others], code)
                named[f"p_{side}_{name}"] = float(adjusted[0])
    return named


def _prior(inputs: dict, options: dict, strength: float) -> Named:
    """Rope and prior of a Bayesian test over datasets; the prior lies at a difference, or in a region that has a name."""
    places = {"left": -np.inf, "below": -np.inf, "rope": 0.0, "right": np.inf, "above": np.inf}
    place = str(_option("prior_place", inputs, options, "rope")).split("_")[0].split(" ")[0].lower()
    at = _option("prior_pseudo_difference", inputs, options, _option("z0", inputs, options, places.get(place, 0.0)))
    return {
        "rope": float(_option("rope", inputs, options, 0.0)),
        "prior_strength": float(_option("prior_strength", inputs, options, _option("s", inputs, options, strength))),
        "prior_at": float(at),
    }


def _regions(probabilities: tuple, mean: tuple) -> Named:
    """Probability that a region is the most probable one, and the mean of each region's chance, the one below first."""
    above, inside, below = (float(p) for p in probabilities)
    return {
        "p_below_rope": below,
        "p_in_rope": inside,
        "p_above_rope": above,
        "posterior_mean_weights": [float(p) for p in reversed(mean)],
    }


def _levels(options: dict) -> list[float]:
    given = [options[name] for name in ("confidence", "confidence_levels", "levels") if name in options]
    return [float(level) for values in given for level in (values if np.ndim(values) else [values])]


def _compare(scores: dict[str, np.ndarray], inputs: dict) -> tb.Comparison:
    """Uncorrected, so that no sizes are needed: for means, ranking, direction and correlation, which do not depend on them."""
    metric, lower = inputs.get("metric", "score"), inputs.get("lower_is_better")
    try:
        return tb.compare(dict(scores), metric=metric, lower_is_better=lower, method="paired-t")
    except tb.errors.UnclearSourceError:
        return tb.compare(dict(scores), metric=metric, lower_is_better=False, method="paired-t")


def _option(name: str, inputs: dict, options: dict, default: object) -> object:
    return options.get(name, inputs.get(name, default))


def _ratio(inputs: dict, options: dict, n: int) -> float:
    """n_test / n_train, from whatever a case says of its splits."""
    given = {**inputs, **options}
    if given.get("correction") == "none":
        return 0.0
    if "n_test_over_n_train" in given:
        return float(np.mean(_numbers(given["n_test_over_n_train"])))
    n_test, n_train = (given.get(f"{name}_per_fold", given.get(name)) for name in ("n_test", "n_train"))
    if n_test is not None and (n_train is not None or "n_samples" in given):
        tested = _numbers(n_test)
        return float(np.mean(tested / (_numbers(n_train) if n_train is not None else given["n_samples"] - tested)))
    if "rho" in given:
        return float(given["rho"]) / (1.0 - float(given["rho"]))
    runs = next((int(given[name]) for name in ("runs", "n_runs", "n_repeats") if name in given), 1)
    folds = next((int(given[name]) for name in ("k", "n_folds", "folds") if name in given), n // runs)
    return 1.0 / (folds - 1) if folds > 1 else 0.0


def _differences(inputs: dict, load: object) -> np.ndarray:
    if "differences" in inputs:
        return _numbers(inputs["differences"]) * _factor(inputs)
    one, two = _pair_of_scores(inputs, load)
    with np.errstate(invalid="ignore"):  # inf - inf
        return one - two


def _dataset_differences(inputs: dict, load: object) -> np.ndarray:
    """One difference for each dataset: the mean over its scores where a table has several of them."""
    return np.array([row.mean() for row in _rows_by_dataset(inputs, load)])


def _rows_by_dataset(inputs: dict, load: object) -> list[np.ndarray]:
    """Differences of each dataset, in the order of the table; a plain list has one difference for each dataset."""
    if "file" not in inputs:
        d = inputs.get("differences")
        if d is None:
            one, two = (inputs[name] for name in ("scores_1", "scores_2"))
            d = [_numbers(a) - _numbers(b) for a, b in zip(map(_listed, one), map(_listed, two), strict=True)]
        return [_numbers(_listed(row)) * _factor(inputs) for row in d]
    columns = _selected(_columns(load(inputs["file"])), inputs)
    one, two = (_numbers(columns[inputs[model]]) * _factor(inputs) for model in ("model_1", "model_2"))
    key = next((name for name in ("row", "dataset", "data_set", "db") if name in columns), None)
    if key is None:
        return list((one - two)[:, None])
    groups: dict[object, list[int]] = {}
    for i, name in enumerate(columns[key]):
        groups.setdefault(name, []).append(i)
    return [(one - two)[rows] for rows in groups.values()]


def _listed(value: object) -> object:
    return value if np.ndim(value) else [value]


def _pair_of_scores(inputs: dict, load: object) -> tuple[np.ndarray, np.ndarray]:
    for stem in ("scores", "errors"):
        if f"{stem}_1" in inputs:
            return _numbers(inputs[f"{stem}_1"]) * _factor(inputs), _numbers(inputs[f"{stem}_2"]) * _factor(inputs)
    columns = _selected(_columns(load(inputs["file"])), inputs)
    one, two = (_numbers(columns[inputs[model]]) * _factor(inputs) for model in ("model_1", "model_2"))
    return one, two


def _score_columns(inputs: dict, load: object) -> dict[str, np.ndarray]:
    """Every model of a case: the columns that are not keys, or those that `models` names."""
    if "file" not in inputs:
        given = inputs.get("scores", {name: inputs[name] for name in inputs if name.startswith(("scores_", "errors_"))})
        return {name: _numbers(values) * _factor(inputs) for name, values in given.items()}
    columns = _selected(_columns(load(inputs["file"])), inputs)
    keys = {"row", "dataset", "repeat", "run", "fold", "split", "seed", "n_train", "n_test"}
    names = inputs.get("models", [name for name in columns if name not in keys])
    return {name: _numbers(columns[name]) * _factor(inputs) for name in names}


def _factor(inputs: dict) -> float:
    _, said, divisor = str(inputs.get("score_scale", "")).partition("divide by ")
    return 1.0 / float(divisor.split()[0].strip(".,;")) if said else 1.0


def _numbers(values: object) -> np.ndarray:
    """Floats; null and empty cells are nan, "inf" is infinite."""
    items = [values] if np.isscalar(values) or values is None else values
    return np.array([np.nan if item is None or item == "" else float(item) for item in items], dtype=float)


def _probability_of_column(name: str) -> float:
    """0.975 for "two-sided 95%", 0.95 for "one-sided 95%"."""
    level = float(name.split()[-1].rstrip("%")) / 100.0
    return level if "one-sided" in name else 0.5 + level / 2.0


# --- tables ---------------------------------------------------------------------------------------------------------


def _columns(table: object) -> dict[str, list]:
    """Columns of whatever `load` returned."""
    if isinstance(table, bytes):
        table = table.decode()
    if isinstance(table, str) or hasattr(table, "__fspath__"):
        text = str(table)
        if "\n" not in text:
            with open(text, encoding="utf-8") as file:  # noqa: PTH123 - numpy and tiebreak are all that this file imports
                text = file.read()
        table = [[cell.strip().strip('"') for cell in line.split(",")] for line in text.lstrip("\ufeff").splitlines() if line]
    if hasattr(table, "columns") or hasattr(table, "keys"):  # a frame, or a mapping of columns
        names = table.columns if hasattr(table, "columns") else table.keys()
        return {str(name): list(table[name]) for name in names}
    rows = list(table)
    if hasattr(rows[0], "keys"):
        return {str(name): [row[name] for row in rows] for name in rows[0]}
    return {str(name): [row[i] for row in rows[1:] if len(row)] for i, name in enumerate(rows[0])}


def _selected(columns: dict[str, list], inputs: dict) -> dict[str, list]:
    """The rows that a case asks for, by `rows` or by inputs named like a column."""
    names = [name for name in inputs if name in columns and np.isscalar(inputs[name])]
    # the number of a row says which dataset is meant; its name may be one that a redistribution uses
    conditions = [(name, "==", inputs[name]) for name in names if not (name == "dataset" and "row" in names)]
    for part in filter(None, str(inputs.get("rows", "")).split(" and ")):
        sign = next(sign for sign in ("==", "!=", "<=", ">=", "<", ">", "=") if sign in part)
        name, _, value = part.partition(sign)
        conditions.append((name.strip(), sign, value.strip().strip("'\"")))
    keep = range(len(next(iter(columns.values()))))
    for name, sign, value in conditions:
        keep = [i for i in keep if _holds(columns[name][i], sign, value)]
    return {name: [values[i] for i in keep] for name, values in columns.items()}


def _holds(cell: object, sign: str, value: object) -> bool:
    try:
        cell, value = float(cell), float(value)
    except ValueError:
        cell, value = str(cell), str(value)
    answers = {"!=": cell != value, "<": cell < value, "<=": cell <= value, ">": cell > value, ">=": cell >= value}
    return bool(answers.get(sign, cell == value))


# --- two models on the same examples --------------------------------------------------------------------------------


def _correct(inputs: dict, name: str) -> list[int]:
    """1 where a prediction is right, from predictions and truth, or as given."""
    if name.startswith("correct"):
        return [int(value) for value in inputs[name]]
    return [int(value == truth) for value, truth in zip(inputs[name], inputs["y_true"], strict=True)]


def _normal_interval(law: tb.statistics.Law, level: float) -> tuple[float, float]:
    """The interval of textbooks, which has no width without a standard error."""
    half = float(tb.statistics.student_quantile(0.5 + level / 2, np.inf)) * float(law.se)
    return float(law.estimate) - half, float(law.estimate) + half


def _paired_counts(inputs: dict) -> tuple[float, ...]:
    if "table" in inputs:
        table = inputs["table"]
        if hasattr(table, "keys"):
            names = ("both_correct", "only_1_correct", "only_2_correct", "both_wrong")
            return tuple(table[name] for name in names)
        return table[0][0], table[0][1], table[1][0], table[1][1]
    stem = "y_pred" if "y_pred_1" in inputs else "correct"
    rows = [_correct(inputs, f"{stem}_{k}") for k in (1, 2)]
    return tuple(int(count) for count in tb.statistics.paired_counts(rows))


def _ranked(inputs: dict, options: dict, load: object) -> tuple[list[bool], np.ndarray]:
    """Labels, and the scores of each model with higher for positive."""
    if "file" in inputs:
        columns = _columns(load(inputs["file"]))
        listed = inputs.get("scores") or [inputs[name] for name in sorted(inputs) if name.startswith("score_")]
        labels, scores = columns[inputs["label"]], [_numbers(columns[name]) for name in listed]
    else:
        labels = inputs["labels"]
        given = inputs.get("scores", [inputs[name] for name in sorted(inputs) if name.startswith("scores_")])
        scores = [_numbers(values) for values in (given.values() if hasattr(given, "values") else given)]
    return [float(label) == 1.0 for label in labels], _turned(np.array(scores), options)


def _turned(scores: np.ndarray, options: dict) -> np.ndarray:
    return -scores if "lower" in str(options.get("direction", "")) else scores


def _clustered(values: np.ndarray, inputs: dict, options: dict) -> Named:
    clusters = inputs.get("clusters")
    names = ("independent", "cr0", "cr1", "cr2")
    forms = {name: tb.statistics.clustered_mean(values, clusters, variance=name) for name in names}
    errors = {name: float(form.se) for name, form in forms.items()}
    corrected = forms["cr1"]
    normal = tb.statistics.student(corrected.estimate, corrected.se, kind=corrected.kind)
    named: Named = {
        "n": values.size,
        "n_clusters": corrected.n_units,
        "mean": float(corrected.estimate),
        "se_naive": errors["independent"],
        "se_cluster_uncorrected": errors["cr0"],
        "se_cluster_corrected": errors["cr1"],
        "se_cluster_cr2": errors["cr2"],
        "df_t": float(corrected.df),
        "df_satterthwaite": float(forms["cr2"].df),
        # against the variance with divisor n, as that form has no small-sample factor either
        "design_effect_uncorrected": (errors["cr0"] / float(np.std(values) / np.sqrt(values.size))) ** 2,
        "z_corrected": float(corrected.statistic),
        "p_normal_two_sided": float(normal.pvalue()),
        "p_t_two_sided": float(corrected.pvalue()),
        "p_cr2_two_sided": float(forms["cr2"].pvalue()),
    }
    for level in dict.fromkeys((0.95, 0.9, 0.99, *_levels(options))):
        text = f"ci{100 * level:g}"
        intervals = {
            "normal": normal.interval(level),
            "t": corrected.interval(level),
            "cr2": forms["cr2"].interval(level),
        }
        for name, (low, high) in intervals.items():
            named |= {f"{text}_{name}_low": float(low), f"{text}_{name}_high": float(high)}
    return named


# --- resampling -----------------------------------------------------------------------------------------------------


def _permutations(result: tb.statistics.Permutations) -> Named:
    return {
        "n_permutations": result.n_permutations,
        "observed": result.observed,
        "count_ge": result.count_greater,
        "count_le": result.count_less,
        "count_abs_ge": result.count_extreme,
        "p_greater": result.pvalue("greater"),
        "p_less": result.pvalue("less"),
        "p_two_sided": result.pvalue(),
    }


def _bootstrap(inputs: dict, options: dict, **how: object) -> Named:
    function, *columns = _resampled_statistic(inputs)
    result = tb.statistics.bootstrap(function, *columns, **how)
    level = float(_option("confidence", inputs, options, 0.95))
    bca = {ties: result.interval(level, "bca", ties=ties) for ties in ("half", "strict")}
    values = _resampled_values(inputs)
    mean = tb.statistics.clustered_mean(values)
    theory = tb.statistics.student(mean.estimate, mean.se) if "mean" in inputs["statistic"] else None
    return {
        "estimate": float(result.estimate),
        "n_resamples": result.n_resamples,
        "bootstrap_mean": float(result.mean),
        "bootstrap_se": float(result.standard_error),
        "percentile": [float(end) for end in result.interval(level, "percentile")],
        "basic": [float(end) for end in result.interval(level, "basic")],
        "normal": [float(end) for end in result.interval(level, "normal")],
        "z0": float(result.z0()),
        "z0_ties_half": float(result.z0()),
        "z0_strict": float(result.z0("strict")),
        "acceleration": float(result.acceleration),
        "bca": [float(end) for end in bca["half"]],
        "bca_ties_half": [float(end) for end in bca["half"]],
        "bca_strict": [float(end) for end in bca["strict"]],
        "bca_levels_ties_half": [float(share) for share in result.bca_shares(level)],
        "bca_levels_strict": [float(share) for share in result.bca_shares(level, "strict")],
        "normal_theory": None if theory is None else [float(end) for end in theory.interval(level)],
    }


def _resampled_values(inputs: dict) -> np.ndarray:
    """The one column that is resampled: as given, or the differences of two."""
    columns = [_numbers(values) for name, values in inputs.items() if isinstance(values, list) and name != "clusters"]
    return columns[0] if len(columns) == 1 else columns[0] - columns[1]


def _resampled_statistic(inputs: dict) -> tuple:
    """The function that a case names in words, of rows of resamples, and its columns."""
    words = inputs["statistic"].lower()
    if "auc" in words:
        return _area, np.array([float(label) == 1.0 for label in inputs["labels"]]), _numbers(inputs["scores"])
    columns = [_numbers(values) for values in inputs.values() if isinstance(values, list)]
    if "correlation" in words or "pearson" in words:
        return _correlation, *columns
    if "ratio" in words:
        return lambda x, y: x.mean(axis=-1) / y.mean(axis=-1), *columns
    functions = {"median": np.median, "standard deviation": np.std, "variance": np.var}
    functions |= {"trimmed": lambda x, axis: np.apply_along_axis(_trimmed_mean, axis, x)}
    found = next((function for word, function in functions.items() if word in words), np.mean)
    ddof = {"ddof": 1} if found in (np.std, np.var) and ("n - 1" in words or "ddof" in words or "sample" in words) else {}
    return lambda x: found(x, axis=-1, **ddof), _resampled_values(inputs)


def _area(labels: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Share of the pairs in the right order; nan without either class."""
    pairs = labels[:, :, None] & ~labels[:, None, :]
    won = np.sign(scores[:, :, None] - scores[:, None, :]) / 2 + 0.5
    with np.errstate(invalid="ignore"):
        return (won * pairs).sum(axis=(1, 2)) / pairs.sum(axis=(1, 2))


def _correlation(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson's; nan where a column is constant."""
    x, y = (each - each.mean(axis=-1, keepdims=True) for each in (x, y))
    with np.errstate(invalid="ignore"):
        return (x * y).sum(axis=-1) / np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))


def _trimmed_mean(values: np.ndarray) -> float:
    """Mean of the middle half."""
    cut = values.size // 4
    return float(np.mean(np.sort(values)[cut : values.size - cut]))


# --- many datasets --------------------------------------------------------------------------------------------------


def _differences_of_datasets(inputs: dict, load: object) -> tuple[np.ndarray, float | None]:
    """One difference for each dataset, and the size of the scores that were subtracted, where it is known."""
    sides = next((pair for pair in (("scores_1", "scores_2"), ("errors_1", "errors_2"), ("x", "y")) if pair[0] in inputs), None)
    if sides is not None:  # of each dataset a score, or several
        one, two = ([float(_numbers(_listed(row)).mean()) for row in inputs[side]] for side in sides)
        return (np.array(one) - np.array(two)) * _factor(inputs), float(np.nanmax(np.abs([one, two])) * _factor(inputs))
    d = _dataset_differences(inputs, load)
    if "file" not in inputs:
        return d, None
    return d, float(max(np.nanmax(np.abs(side)) for side in _pair_of_scores(inputs, load)))


def _dataset_table(inputs: dict, options: dict, load: object) -> tuple[list[str], np.ndarray, bool]:
    """Models, their scores of shape (n_datasets, n_models), means where a dataset has several, and whether higher is better."""
    said = str(_option("rank_direction", inputs, options, "higher"))
    higher = not _option("lower_is_better", inputs, options, said.startswith(("lower", "smallest", "lowest")))
    names = inputs.get("models", options.get("models"))
    if "file" not in inputs:
        given = inputs["scores"]
        if hasattr(given, "keys"):
            names, given = list(given), np.transpose([_numbers(values) for values in given.values()])
        table = np.array([_numbers(row) for row in given])
        return list(names or map(str, range(table.shape[1]))), table * _factor(inputs), higher
    # inputs such as "control" are no columns of the file, and "order" names models
    columns = _columns(load(inputs["file"]))
    key = next((name for name in ("row", "dataset", "data_set", "db") if name in columns), None)
    if names is None and "control" in inputs and "order" in inputs:
        names = [inputs["control"], *inputs["order"]]
        names.sort(key=list(columns).index)
    keys = {"row", "dataset", "data_set", "db", "repeat", "run", "fold", "split", "seed", "n_train", "n_test"}
    names = list(names or [name for name in columns if name not in keys])
    values = np.column_stack([_numbers(columns[name]) * _factor(inputs) for name in names])
    labels = columns[key] if key else list(range(len(values)))
    groups = [[i for i, each in enumerate(labels) if each == label] for label in dict.fromkeys(labels)]
    return names, np.array([values[rows].mean(axis=0) for rows in groups]), higher


def _given_ranks(inputs: dict, options: dict) -> tuple[np.ndarray, int]:
    """Average ranks as given, and the number of datasets."""
    ranks = next(inputs[name] for name in ("average_ranks", "ranks", "mean_ranks") if name in inputs)
    ranks = _numbers(list(ranks.values()) if hasattr(ranks, "values") else ranks)
    given = {**options, **inputs}
    return ranks, int(next(given[name] for name in ("n_datasets", "n", "N", "n_data_sets", "datasets") if name in given))


def _ranks_of(inputs: dict, options: dict, load: object) -> tuple[list[str], np.ndarray, int]:
    """Models, their average ranks and the number of datasets, from scores or as given."""
    if "file" in inputs or "scores" in inputs:
        names, table, higher = _dataset_table(inputs, options, load)
        return names, tb.statistics.average_ranks(table, higher_is_better=higher), len(table)
    ranks, n = _given_ranks(inputs, options)
    return list(_option("models", inputs, options, list(map(str, range(ranks.size))))), ranks, n


def _friedman_names(test: tb.statistics.Friedman, n: int, variant: str) -> Named:
    return {
        "n_datasets": n,
        "n_models": test.average_ranks.size,
        "average_ranks": test.average_ranks.tolist(),
        f"chi2_{variant}": 0.0 if variant == "no_tie_correction" and test.kendall_w == 0 else test.friedman.statistic,
        f"p_{variant}": test.friedman.pvalue,
        f"iman_davenport_{variant}": test.iman_davenport.statistic,
        f"iman_davenport_p_{variant}": test.iman_davenport.pvalue,
        "df": test.friedman.df,
        "df2": test.iman_davenport.df2,
        "kendall_w": test.kendall_w,
    }


def _alphas(inputs: dict, options: dict) -> list[float]:
    asked = _option("alpha", inputs, options, ())
    return list(dict.fromkeys([0.05, 0.1, 0.01, *map(float, asked if np.ndim(asked) else [asked])]))


def _rank_error(ranks: np.ndarray, n: int) -> float:
    """Standard error of a difference of average ranks."""
    return float(np.ravel(tb.statistics.rank_differences(ranks, n).se)[0])


def _rank_distances(ranks: np.ndarray, n: int, alphas: list[float]) -> Named:
    """Quantiles and critical differences of average ranks."""
    named: Named = {"standard_error": _rank_error(ranks, n)}
    for alpha in alphas:
        for test, name in (("nemenyi", ""), ("bonferroni-dunn", "bonferroni_dunn_")):
            named[f"q_{name}{alpha:g}"] = tb.statistics.rank_quantile(ranks.size, alpha, test=test)
            named[f"cd_{name}{alpha:g}"] = tb.statistics.critical_difference(ranks.size, n, alpha, test=test)
        named[f"cd_nemenyi_{alpha:g}"] = named[f"cd_{alpha:g}"]
    return named


def _pair_order(names: list[str], pairs: list | None) -> np.ndarray:
    """Position of each pair of a case among (0, 1), (0, 2), ..., (1, 2), ...; either way round."""
    place = {frozenset((a, b)): at for at, (a, b) in enumerate((a, b) for i, a in enumerate(names) for b in names[i + 1 :])}
    return np.array([place[frozenset(pair)] for pair in pairs] if pairs else list(place.values()))


def _all_pairs_adjusted(p: np.ndarray) -> dict[str, np.ndarray]:
    adjust = tb.statistics.adjust_pvalues
    return {name: adjust(p, code) for name, code in (CORRECTIONS | {"shaffer_static": "shaffer"}).items()}


def _critical_levels(inputs: dict, options: dict) -> list[tuple[float, str]]:
    """Levels of a table of critical values, and whether each is two-sided."""
    for name, side in (("alpha_two_sided", "two-sided"), ("alpha_one_sided", "one-sided"), ("alpha", "two-sided")):
        levels = _option(name, inputs, options, None)
        if levels is not None:
            return [(float(alpha), side) for alpha in _listed(levels)]
    return [(0.05, "two-sided"), (0.1, "two-sided"), (0.01, "two-sided")]
