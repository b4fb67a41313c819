"""Plots of a comparison and of a pair, and the displays with a row for each model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self, Unpack

import numpy as np

from tiebreak.comparison.family import MIRRORED, REASONS
from tiebreak.comparison.letters import MOST_LETTERED
from tiebreak.comparison.ranking import BEST, STANDINGS
from tiebreak.errors import NotOfferedError
from tiebreak.numerics import IntArray
from tiebreak.numerics.law import VERDICTS
from tiebreak.scores.vocabulary import look_up
from tiebreak.views.comparison import table_decimals
from tiebreak.views.names import with_copies
from tiebreak.views.pair import interval_name
from tiebreak.views.plots.datasets import PairedDisplay, RegionsDisplay
from tiebreak.views.plots.demsar import DemsarDisplay
from tiebreak.views.plots.display import ComparisonDisplay, Look, Plots, TopLook, better_is, default_pair, shown_models
from tiebreak.views.plots.matrix import VerdictsDisplay, counted_verdicts, verdict_counts, verdict_title
from tiebreak.views.plots.posterior import PosteriorDisplay
from tiebreak.views.plots.rank_diagram import DiagramDisplay
from tiebreak.views.plots.style import (
    COLOURS,
    MARKS,
    NOT_ASKED,
    SMALL,
    Room,
    background,
    faded,
    foreground,
    in_columns,
    minus,
    muted,
    row_axes,
    rows_width,
)
from tiebreak.views.words import count, format_score

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from tiebreak.comparison.comparison import Comparison, PairComparison


_WHY = {
    "identical-scores": " (identical scores)",
    "no-spread": " (no spread)",
    "missing-splits": " (too few shared {unit}s)",
    "too-few-units": " (too few {unit}s)",
    "too-few-draws": " (too few draws)",
}


def against_reference(comparison: Comparison, rows: IntArray) -> pd.DataFrame:
    """Some models against the best one or the baseline: the columns of `RankingDisplay.data`."""
    import pandas as pd

    ranking, against, models = comparison.ranking_table, comparison.against_reference, comparison.models
    data = pd.DataFrame(
        {
            "rank": ranking.rank,
            "model": models,
            "mean": ranking.mean,
            "n_units": ranking.n_units,
            "difference": against.difference,
            "interval_low": against.interval.low,
            "interval_high": against.interval.high,
            "verdict": np.array(VERDICTS, dtype=object)[against.verdict],
            "reason": np.array(REASONS, dtype=object)[against.reason],
            "standing": "" if ranking.standing is None else np.array(STANDINGS, dtype=object)[ranking.standing],
            "letters": [""] * len(models) if ranking.letters is None else ranking.letters,
        }
    )
    return data.iloc[rows].reset_index(drop=True)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AgainstDisplay(ComparisonDisplay):
    """Rows of models against the best one or the baseline, each with its verdict."""

    row_height: ClassVar[float] = 0.115

    @property
    def _reference(self) -> str:
        return self._names[self._models.index(self.comparison.reference)]

    def _row_notes(self) -> list[str]:
        decimals = table_decimals(self.comparison)
        reference = "first" if self.comparison.settings.baseline is None else "baseline"
        has_letters, rows = self._has_letters, []
        for row in self._table.to_dict("records"):
            verdict, why = row["verdict"], _WHY.get(row["reason"], "").format(unit=self._unit)
            words = f"{MARKS[verdict].symbol} {verdict}{why}" if verdict else reference
            if not self.comparison.pair_table.is_family:
                words = f"{row['standing']}{why}"
            rows.append((minus(format_score(float(row["mean"]), decimals)), *([row["letters"]] if has_letters else []), words))
        return in_columns(rows)

    @property
    def _has_letters(self) -> bool:
        """True where there are letters, and more than one pair for which they are needed."""
        return len(self._table) > 2 and bool((self._table["letters"] != "").any())

    @property
    def _table(self) -> pd.DataFrame:
        """A row for each model."""
        return self.data

    def _title(self) -> str:
        name, comparison = self._reference, self.comparison
        n_models = len(comparison.models)
        if not comparison.pair_table.is_family:
            return self._best_words(name) or f"{len(comparison.shortlist())} of {n_models} models may be the best"
        others = comparison.ranking_table.entry != comparison.ranking_table.entry[comparison.models.index(comparison.reference)]
        if comparison.settings.baseline is not None or not others.any():
            others = np.array(comparison.models) != comparison.reference
        counts = verdict_counts(comparison.against_reference.verdict[others])
        if len(comparison.models) == 2:
            other = next(other for other in self._names if other != name)
            verdict = str(self._table.loc[self._table["verdict"] != "", "verdict"].iloc[0])
            return verdict_title(name, other, VERDICTS[MIRRORED[VERDICTS.index(verdict)]])
        if comparison.settings.baseline is not None:
            return f"Against the baseline {name}: {counted_verdicts(counts, 'models')}"
        best = self._best_words(name)
        if best and sum(counts.values()) == 1:
            return f"{best}; the other is {next(verdict for verdict, n in counts.items() if n)}"
        if best:
            return f"{best}; {counted_verdicts(counts, 'others')}"
        n_best = len(comparison.shortlist())
        which = f"any of {n_models}" if n_best == n_models else f"{n_best} of {n_models}"
        return f"{name} ranks first; {which} models may be the best"

    def _best_words(self, name: str) -> str:
        """Words on the first model and its copies as the best; "" where others may be."""
        table, n_models = self.comparison.ranking_table, len(self.comparison.models)
        if table.standing is None or table.standing[0] != BEST:
            return ""
        n_copies = table.copies(0).size - 1
        return f"{with_copies(name, n_copies)} is the best of {n_models}"

    def _about_intervals(self) -> str:
        comparison = self.comparison
        letters = "; models that share a letter are not told apart" if self._has_letters else ""
        rope = (
            f"Grey band: the rope, ±{comparison.rope:.4g}, differences too small to matter."
            if comparison.rope
            else "There is no rope, so none can be called equivalent."
        )
        ends = self._table[["interval_low", "interval_high"]].to_numpy()
        arrows = " An arrow: the data set no limit on that side." if np.isinf(ends).any() else ""
        if not comparison.pair_table.is_family:
            return (
                f"Lines: {interval_name(comparison)} of each difference to {self._reference}; no pair was judged.{arrows} {rope} "
                f"On the right: {self._value} and standing, from comparisons with the best."
            )
        return (
            f"Lines: {interval_name(comparison)}s of the difference ({self._adjusted}); the verdict is where the line lies."
            f"{arrows} {rope} On the right: {self._value} and verdict{letters}."
        )

    def _draw_intervals(self, axes: Axes, shift: float, others: Sequence[float] = ()) -> None:
        """Intervals and estimates, `shift` above the middle of their rows; those without a limit reach beyond all else drawn."""
        columns = [self._table[name].to_numpy() for name in ("interval_low", "difference", "interval_high")]
        drawn = np.concatenate([*columns, others, [-self.comparison.rope, self.comparison.rope]])
        drawn = drawn[np.isfinite(drawn)]
        low, high = float(drawn.min(initial=0.0)), float(drawn.max(initial=0.0))
        reach = 0.1 * ((high - low) or 1.0)
        is_family = self.comparison.pair_table.is_family
        for row, (left, difference, right, verdict) in enumerate(zip(*columns, self._table["verdict"], strict=True)):
            if not verdict and (is_family or self._table["model"].iloc[row] == self.comparison.reference):
                axes.scatter(difference, row, marker="|", s=90, color=foreground(), zorder=3)
                continue
            mark, height = MARKS[verdict or NOT_ASKED], row - shift
            ends = np.clip([left, right], low - reach, high + reach)
            axes.plot(ends, [height, height], color=mark.colour, linewidth=1.6, solid_capstyle="butt", zorder=3)
            for end, place, arrow in ((left, ends[0], "<"), (right, ends[1], ">")):
                if np.isinf(end):
                    axes.scatter(place, height, marker=arrow, s=24, color=mark.colour, linewidths=0, zorder=3)
            axes.scatter(difference, height, marker=mark.marker, s=38, color=mark.face, edgecolors=mark.colour, zorder=4)

    def _finish(self, axes: Axes, room: Room) -> None:
        """Labels, notes, and a legend of the verdicts where there is no room for notes."""
        x_lines = f"difference in {self._metric} to {self._reference}", self._favours("the model of the row")
        has_notes = row_axes(axes, self._models, self._row_notes(), *x_lines, room=room, numbers=self._ranks, copies=self._copies)
        if not has_notes:
            _verdict_legend(axes, [verdict for verdict in MARKS if (self._table["verdict"] == verdict).any()], room)


def _verdict_legend(axes: Axes, verdicts: Sequence[str], room: Room) -> None:
    """The marks in words, below the rows."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            linestyle="",
            marker=MARKS[name].marker,
            color=MARKS[name].face,
            markeredgecolor=MARKS[name].colour,
            label=name,
        )
        for name in verdicts
    ]
    n_columns = max(1, min(len(handles), int(room.width / 1.1)))
    n_lines = -(-len(handles) // n_columns)
    low, high = axes.get_ylim()
    axes.set_ylim(low + (low - high) * min(0.6, (0.1 + 0.17 * n_lines) / room.height), high)
    axes.legend(
        handles=handles,
        loc="lower left",
        ncols=n_columns,
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.1,
        handletextpad=0.2,
        columnspacing=1.0,
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RankingDisplay(AgainstDisplay):
    """Every model's difference to the best one, or to the baseline, with the interval that decides its verdict.

    The intervals are of differences. Intervals of single models are not drawn: whether those overlap says little about paired
    scores.

    Attributes
    ----------
    data : DataFrame
        rank, model, mean, n_units, difference (model minus reference, positive favours the model), interval_low,
        interval_high, verdict (of the model against the reference, "" for the reference itself), reason, standing, letters.
    """

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        return cls(against_reference(comparison, shown_models(comparison, top)), comparison, top)

    def _size(self) -> tuple[float, float]:
        width = rows_width(self._models, self._row_notes(), is_numbered=True, copies=self._copies)
        return width, 1.7 + 0.27 * max(len(self.data), 2)

    def _note(self) -> str:
        return f"{self._about_intervals()}{self._remark}"

    def _draw(self, axes: Axes) -> None:
        self._draw_rope(axes)
        self._draw_intervals(axes, 0.0)
        self._finish(axes, self._room(axes))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DifferencesDisplay(AgainstDisplay):
    """Difference of every model to the best one, or to the baseline, on every split, with its mean and interval.

    Attributes
    ----------
    data : DataFrame
        model (in ranking order), repeat, fold, difference on that split (positive favours the model); a row for each split that
        both have.
    table : DataFrame
        A row for each model, as in `RankingDisplay.data`.
    """

    table: pd.DataFrame

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        rows = shown_models(comparison, top)
        matrix = comparison.matrix
        reference = comparison.models.index(comparison.reference)
        difference = comparison.metric.sign * (matrix.score[rows] - matrix.score[reference])
        difference[rows == reference] = np.nan
        model, split = np.nonzero(~np.isnan(difference))
        data = pd.DataFrame(
            {
                "model": pd.Categorical.from_codes(model, pd.Index([comparison.models[row] for row in rows])),
                "repeat": matrix.repeat[split],
                "fold": matrix.fold[split],
                "difference": difference[model, split],
            }
        )
        return cls(data, comparison, top, against_reference(comparison, rows))

    @property
    def _table(self) -> pd.DataFrame:
        return self.table

    def _size(self) -> tuple[float, float]:
        width = rows_width(self._models, self._row_notes(), is_numbered=True, copies=self._copies)
        return width, 1.7 + 0.34 * max(len(self.table), 2)

    def _note(self) -> str:
        dots = f"Dots: the difference on each of {self._units}. Marks: the estimate of the difference. "
        return f"{dots}{self._about_intervals()}{self._remark}"

    def _draw(self, axes: Axes) -> None:
        self._draw_rope(axes)
        row = self.data["model"].cat.codes.to_numpy()
        shift = _shifts(self.data["repeat"].to_numpy(), self.data["fold"].to_numpy(), 0.36)
        strength = float(np.clip(30 / max(self.comparison.matrix.n_splits, 1), 0.15, 0.6))
        axes.scatter(self.data["difference"], row + 0.18 + shift, s=9, color=muted(), alpha=strength, linewidths=0, zorder=2)
        self._draw_intervals(axes, 0.16, self.data["difference"].tolist())
        self._finish(axes, self._room(axes))


def _shifts(repeat: IntArray, fold: IntArray, spread: float) -> np.ndarray:
    """A small vertical shift for each split, the same in every row, so that equal scores stay visible."""
    _, place = np.unique(np.stack([repeat, fold]), axis=1, return_inverse=True)
    return np.asarray(((place.ravel() * 0.618034) % 1 - 0.5) * spread)


MOST_DOTS = 5000
"""Splits or items up to which each is drawn as a dot."""

JOINED_UP_TO = 3
"""Models up to which lines join the scores of one split; with more the lines would hide the dots."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoresDisplay(ComparisonDisplay):
    """Score of every model on every split, and its mean.

    For up to three models a thin line joins the scores of one split: parallel lines are differences that hold on every split,
    whatever the split's own difficulty. For more, `DifferencesDisplay` shows what is paired.

    Attributes
    ----------
    data : DataFrame
        model (in ranking order), repeat, fold, score and the model's mean, in the metric's unit; a row for each score that is
        there.
    """

    row_height: ClassVar[float] = 0.115

    @classmethod
    def from_comparison(cls, comparison: Comparison, top: int | None = None) -> Self:
        """Collect the numbers."""
        import pandas as pd

        rows = shown_models(comparison, top)
        matrix = comparison.matrix
        model, split = np.nonzero(~np.isnan(matrix.score[rows]))
        names = pd.Index([comparison.models[row] for row in rows])
        data = pd.DataFrame(
            {
                "model": pd.Categorical.from_codes(model, names),
                "repeat": matrix.repeat[split],
                "fold": matrix.fold[split],
                "score": matrix.score[rows[model], split],
                "mean": comparison.ranking_table.mean[rows[model]],
            }
        )
        return cls(data, comparison, top)

    @property
    def _is_joined(self) -> bool:
        return len(self._models) <= JOINED_UP_TO and self.comparison.method.is_paired

    def _row_notes(self) -> list[str]:
        decimals, n_splits = table_decimals(self.comparison), self.comparison.matrix.n_splits
        counted = self.data.groupby("model", observed=False)["mean"].agg(["first", "size"])
        return [
            minus(format_score(float(mean), decimals)) + ("" if n == n_splits else f" ({count(n, self._unit)})")
            for mean, n in zip(counted["first"], counted["size"], strict=True)
        ]

    def _size(self) -> tuple[float, float]:
        step = 0.62 if self._is_joined else 0.27
        width = rows_width(self._models, self._row_notes(), is_numbered=True, copies=self._copies)
        return width, 1.5 + step * max(len(self._models), 2)

    def _title(self) -> str:
        best, n_models = self._names[0], len(self.comparison.models)
        mean = minus(format_score(float(self.comparison.ranking_table.mean[0]), table_decimals(self.comparison)))
        return f"{best} ranks first of {n_models}, with a {self._value} of {mean}"

    def _note(self) -> str:
        joined = f"; each line joins the scores of one {self._unit}" if self._is_joined else ""
        return (
            f"Dots: {self._units}{joined}. Diamonds, and on the right: means. Whether means differ by "
            f"more than chance is not shown here.{self._remark}"
        )

    def _draw(self, axes: Axes) -> None:
        models = self._models
        wide = self.data.pivot(index=["repeat", "fold"], columns="model", values="score")
        repeat, fold = np.array(wide.index.to_list()).T
        shift = _shifts(repeat, fold, 0.2 if self._is_joined else 0.5)
        height = np.arange(len(models))[None, :] + shift[:, None]
        if self._is_joined:
            strength = float(np.clip(12 / len(wide), 0.12, 0.6))
            axes.plot(wide.to_numpy().T, height.T, color=muted(), linewidth=0.7, alpha=strength, zorder=1)
        axes.scatter(wide.to_numpy(), height, s=14, color=COLOURS[0], alpha=0.45, linewidths=0, zorder=2)
        means = self.data.groupby("model", observed=False)["mean"].first()
        axes.scatter(means, range(len(models)), marker="D", s=34, color=background(), edgecolors=foreground(), zorder=3)
        axes.hlines(np.arange(len(models)) + 0.5, 0, 1, transform=axes.get_yaxis_transform(), color=faded(), linewidth=0.3)
        x_line = f"{self._metric} of each {self._unit} ({better_is(self.comparison.metric)} is better)"
        row_axes(axes, models, self._row_notes(), x_line, room=self._room(axes), numbers=self._ranks, copies=self._copies)


def _has_ranks(comparison: Comparison) -> bool:
    """True where there are average ranks of two models, and groups of models that are not told apart."""
    table = comparison.ranking_table
    has_groups = comparison.pair_table.is_family and (table.letters is not None or comparison.settings.baseline is not None)
    return has_groups and table.average_rank is not None and bool(np.isfinite(table.average_rank).any())


class ComparisonPlots(Plots["Comparison"]):
    """Plots of a comparison."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots; a posterior is drawn where the procedure gives one, a diagram of ranks over several datasets.

        Models that have units of their own have no differences on them.
        """
        judged = self.result.pair_table.judged
        is_paired, is_mean = self.result.method.is_paired, self.result.method.is_mean
        has_datasets, items = self.result.method.unit == "dataset", self.result.items if is_paired else None
        is_binary = items is not None and items.is_binary and is_mean
        has_dots = not is_binary and self.result.matrix.n_splits <= MOST_DOTS
        is_mixed = self.result.scores.is_mixed  # levels in several units do not go on one axis
        is_family = self.result.pair_table.is_family
        offered = {
            "diagram": _has_ranks(self.result),
            "verdicts": is_family,
            "paired": has_datasets and not is_mixed,
            "posterior": judged.law.is_posterior and judged.credible != "points",
            "regions": judged.law.is_posterior and has_datasets,
            "scores": has_dots and is_mean and not is_mixed and self.result.method.question != "test-sets",
            "differences": is_paired and is_mean and has_dots and not is_mixed,
        }
        return tuple(name for name in super().names if offered.get(name, True))

    def ranking(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> RankingDisplay:
        """Every model's difference to the best one or the baseline, with its interval and verdict."""
        return self._draw(RankingDisplay.from_comparison, ax=ax, look=look)

    def differences(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> DifferencesDisplay:
        """Difference of every model on every split, dataset, or what else was counted."""
        self._require_pairing("differences")
        return self._draw(DifferencesDisplay.from_comparison, ax=ax, look=look)

    def scores(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> ScoresDisplay:
        """Score of every model on every split, dataset, or what else was counted."""
        if not self.result.method.is_mean:
            self._require_pairing("scores")
        return self._draw(ScoresDisplay.from_comparison, ax=ax, look=look)

    def verdicts(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> VerdictsDisplay:
        """Difference and verdict of every model against every other."""
        return self._draw(VerdictsDisplay.from_comparison, ax=ax, look=look)

    def diagram(
        self,
        own: str | None = None,
        *,
        style: Literal["rows", "demsar"] = "rows",
        ax: Axes | None = None,
        **look: Unpack[TopLook],
    ) -> DiagramDisplay:
        """Average ranks over datasets, with bars that join models which are not told apart.

        Parameters
        ----------
        own : str, optional
            Name of the model to mark.
        style : {"rows", "demsar"}, default "rows"
            A row for each model; or the horizontal axis of a critical-difference diagram (Demšar 2006) with names on both sides.
        """
        display = (DiagramDisplay, DemsarDisplay)[look_up(style, ("rows", "demsar"), "style of this diagram")]
        if not _has_ranks(self.result):
            raise NotOfferedError(
                "a diagram of ranks needs scores of several datasets, judged as pairs or against a baseline, and, "
                f"without a baseline, {MOST_LETTERED} models at most."
            )
        return self._draw(display.from_comparison, own, ax=ax, look=look)

    def paired(
        self,
        a: str | None = None,
        b: str | None = None,
        ax: Axes | None = None,
        **look: Unpack[TopLook],
    ) -> PairedDisplay:
        """Scores of two models on each dataset: rows, or of many dots against the diagonal.

        Parameters
        ----------
        a, b : str, optional
            Names, as for `posterior`.
        """
        return self._draw(PairedDisplay.from_comparison, *default_pair(self.result, a, b), ax=ax, look=look)

    def regions(self, ax: Axes | None = None, **look: Unpack[TopLook]) -> RegionsDisplay:
        """Probabilities that each model is worse than, equivalent to and better than the best one or the baseline."""
        return self._draw(RegionsDisplay.from_comparison, ax=ax, look=look)

    def posterior(
        self, a: str | None = None, b: str | None = None, ax: Axes | None = None, **look: Unpack[Look]
    ) -> PosteriorDisplay:
        """Posterior of the difference of two models; positive favours `a`.

        Parameters
        ----------
        a, b : str, optional
            Names. What is not given is the best-ranked other model or, when a baseline was named, for `b` the baseline.
        """
        return self._draw(PosteriorDisplay.from_comparison, *default_pair(self.result, a, b), ax=ax, look=look)

    def _require_pairing(self, plot: str) -> None:
        method = self.result.method
        if not method.is_mean:
            raise NotOfferedError(
                f"there is no plot of {plot}, as {self.result.metric.name} is of all {method.unit}s together; plot.ranking() "
                "draws the differences."
            )
        if not method.is_paired:
            raise NotOfferedError(
                f"there is no plot of {plot}, as the models were not measured on the same {method.unit}s; plot.scores() draws "
                "the scores of each."
            )


class PairPlots(Plots["PairComparison"]):
    """Plots of one pair."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the plots; a posterior is drawn where the procedure gives one."""
        judged = self.result.comparison.pair_table.judged
        return ("posterior",) if judged.law.is_posterior and judged.credible != "points" else ()

    def posterior(self, ax: Axes | None = None, **look: Unpack[Look]) -> PosteriorDisplay:
        """Posterior of the difference; positive favours the first model."""
        return self._draw(PosteriorDisplay.from_pair, ax=ax, look=look)

    __call__ = posterior
