"""The report in a real browser: rope and alpha by keyboard and mouse, every word and number as Python says it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.views.report.answers import ANSWERS, again, required, twenty, two
from tests.views.situations import around, compared, named, table
from tiebreak.comparison.family import MIRRORED
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.answer import interval_name
from tiebreak.views.report.comparison import report
from tiebreak.views.report.decide import ALPHAS, NAME_WIDTH, about_drawing, columns_of, takes_rope
from tiebreak.views.report.old_comparison import family_note, footnotes, pair_table, ranking_notes
from tiebreak.views.requirements import headline, judgements

pytestmark = pytest.mark.browser

SHOWN = """() => {
  const section = document.querySelector("[data-answer]"), { controls } = section;
  const texts = (selector) => [...section.querySelectorAll(selector)].map((each) => each.textContent);
  const lines = [...section.querySelectorAll("[data-is=ranking] [data-model]")], cells = {};
  for (const cell of lines.flatMap((line) => [...line.querySelectorAll("[data-col]:not([data-col=drawn])")])) {
    (cells[cell.dataset.col] ??= []).push(cell.textContent);
  }
  const pairs = section.querySelector("[data-part=pair-table] table");
  return {
    ...controls.state, sentence: texts("[data-is=sentence]")[0], requirements: texts("[data-is=requirements] li"),
    headline: texts("[data-is=requirements-title]")[0], cells, headers: texts("[data-is=ranking] thead th"),
    notes: texts("[data-is=ranking-notes] p"), footnotes: texts("[data-is=footnotes] li"), about: texts("[data-is=about]")[0],
    pair: texts("[data-is=pair-sentence]")[0],
    pairs: [...pairs.rows].map((row) => [...row.cells].map((cell) => cell.textContent)),
    matrix: [...section.querySelectorAll("[data-is=matrix] tbody tr")].map(
      (row) => [...row.cells].slice(1).map((cell) => cell.className),
    ),
  };
}"""
"""The rope and alpha that are set, and the words and numbers that stand on the page."""


def check_equal(page, comparison):
    """The page says what Python says of the rope and alpha that are set on it."""
    shown = page.evaluate(SHOWN)
    asked = {name: shown[name] for name in ("rope", "alpha", "given")}
    expected = again(comparison, **asked)
    judged, numbers = required(expected), pair_table(expected, NAME_WIDTH)
    assert shown["sentence"] == expected.sentence, asked
    assert shown["requirements"] == judgements(judged, expected), asked
    assert shown["headline"] == headline(judged), asked
    assert shown["cells"] == columns_of(expected), asked
    assert interval_name(expected, is_header=True) in shown["headers"] or expected.settings.family == "best", asked
    assert shown["notes"] == list(ranking_notes(expected)), asked
    assert set(shown["footnotes"]) <= set(footnotes(expected)), asked
    assert family_note(expected) in shown["footnotes"], asked
    assert shown["about"] == about_drawing(expected), asked
    assert shown["pairs"] == [list(numbers.headers), *map(list, numbers.rows)], asked
    assert shown["matrix"] in ([], matrix(expected)), asked
    assert shown["pair"] == expected.pair(*opened_pair(page, expected)).sentence, asked


def matrix(comparison):
    """Verdicts of rows against columns, as classes of the cells; of a baseline its column only."""
    table, n = comparison.pair_table, len(comparison.models)
    codes = np.zeros((n, n), dtype=int)
    codes[table.first, table.second], codes[table.second, table.first] = table.verdict, MIRRORED[table.verdict]
    baseline = comparison.settings.baseline
    columns = range(n) if baseline is None else [comparison.models.index(baseline)]
    return [[VERDICTS[codes[row, column]] or "self" for column in columns] for row in range(n)]


def opened_pair(page, comparison):
    """Names of the pair that is open."""
    panel = page.locator("[data-part=pair]")
    return [comparison.models[int(panel.get_attribute(f"data-{side}"))] for side in ("first", "second")]


def typed(page, control, text):
    """A number by mouse and keyboard, as a reader would."""
    field = page.locator(f"[data-control={control}]")
    field.click()
    page.keyboard.press("Control+A")
    page.keyboard.type(text)


@pytest.mark.parametrize("name", ANSWERS)
def test_what_is_set_by_hand_is_answered_as_in_python(opened, name):
    """Ropes typed, pulled with the mouse and moved with arrow keys, and every alpha: the whole page is Python's at every stop."""
    comparison = ANSWERS[name]()
    page = opened(report(comparison, required(comparison)))
    rng = np.random.default_rng(sum(map(ord, name)))
    slider = page.locator("[data-control=rope-slider]")
    most = float(slider.get_attribute("max"))
    check_equal(page, comparison)
    n_alphas = page.locator("select[data-control=alpha] option").count()
    assert n_alphas == len({*ALPHAS, comparison.settings.alpha})
    for step in range(n_alphas):
        page.select_option("[data-control=alpha]", index=step)
        check_equal(page, comparison)
        if slider.is_enabled():
            typed(page, "rope", f"{rng.uniform(0, most) * (step % 4) / 3:.3g}")
            check_equal(page, comparison)
    assert slider.is_enabled() == takes_rope(comparison)
    if slider.is_enabled():
        box = slider.bounding_box()
        for share in (0.03, 0.35, 0.9):
            page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            check_equal(page, comparison)
        for key in ("Home", "ArrowRight", "PageUp", "End", "ArrowDown"):
            slider.press(key)
            check_equal(page, comparison)
    page.click("[data-control=reset]")
    check_equal(page, comparison)
    assert page.evaluate("document.querySelector('[data-answer]').controls.isAsked")


def test_a_model_far_off_stays_an_arrow(opened):
    """Drawn anew by the script as by Python: as many arrows, and circles at the same places but for rounding."""
    comparison = ANSWERS["outlier"]()
    page = opened(report(comparison))
    places = """() => [...document.querySelectorAll("[data-is=ranking] tbody [data-col=drawn] :is(circle, .beyond)")]
        .map((each) => [each.tagName, parseFloat(each.getAttribute("cx") ?? each.getAttribute("x"))])"""
    before = page.evaluate(places)
    assert [tag for tag, _ in before] == ["circle"] * 4 + ["text"]
    typed(page, "rope", "0.0101")
    after = page.evaluate(places)
    assert [tag for tag, _ in after] == [tag for tag, _ in before]
    assert np.allclose([at for _, at in after], [at for _, at in before], atol=0.1)


def test_a_rope_that_cannot_be_moved_says_why(opened):
    """A correction that goes step by step is right at a rope of 0 only."""
    page = opened(report(ANSWERS["holm"]()))
    assert page.locator("[data-control=rope-slider]").is_disabled()
    assert page.locator("[data-control=rope]").is_disabled()
    assert "the correction holm goes step by step" in page.locator("[data-part=controls]").inner_text()


@pytest.mark.parametrize("name", ["percent", "gaps", "baseline", "datasets", "best", "copies"])
def test_what_was_asked_comes_back(opened, name):
    """After another rope the button brings back every word of the page as Python wrote it; drawings aside."""
    comparison = ANSWERS[name]()
    page = opened(report(comparison, required(comparison)))
    before = page.evaluate(TEXT)
    typed(page, "rope", "0.0231")
    assert page.evaluate(TEXT) != before
    page.click("[data-control=reset]")
    assert page.evaluate(TEXT) == before


TEXT = """() => {
  const page = document.querySelector("main").cloneNode(true);
  page.querySelectorAll("svg").forEach((each) => each.remove());
  return page.textContent;
}"""


def test_the_page_says_that_headline_and_next_step_are_hidden(opened):
    """They were worked out for the rope and alpha that were asked, so they would be wrong beside others."""
    comparison = ANSWERS["percent"]()
    page = opened(report(comparison))
    step, headline = page.locator("[data-is=extra]", has_text="Next step"), page.locator("[data-is=headline]")
    assert step.is_visible()
    assert headline.inner_text() == comparison.headline
    typed(page, "rope", "0.0231")
    assert not step.is_visible()
    assert not headline.is_visible()
    said = "The headline and the next step, which hold for those only, are hidden."
    assert page.locator("[data-is=asked]").inner_text().endswith(said)
    page.click("[data-control=reset]")
    assert headline.is_visible()


def test_on_paper(opened):
    """No controls, nothing that is shut, the ranking as a table, and nothing wider than the 182 mm that A4 leaves."""
    page = opened(report(twenty(), required(twenty())), viewport={"width": 688, "height": 1000}, color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for selector in ("fieldset", ".pick", ".downloads", "button[data-control=more]", "details:not([open])"):
        assert not any(each.is_visible() for each in page.locator(selector).all()), selector
    for open_on_paper in ("Numbers of the pairs", "References", "Correlation of the scores"):
        assert page.locator("details[open] > summary", has_text=open_on_paper).is_visible()
    assert page.evaluate("getComputedStyle(document.querySelector('.ranking tr')).display") == "table-row"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 688


def test_a_number_that_is_none_is_marked_and_changes_nothing(opened):
    """A field that is empty, negative or beyond its bounds is invalid, and the answer stays."""
    page = opened(report(two()))
    before = page.locator("[data-is=sentence]").inner_text()
    for text in ("", "-1", "2"):
        page.fill("[data-control=rope]", text)
        assert page.get_attribute("[data-control=rope]", "aria-invalid") == "true"
        assert page.locator("[data-is=sentence]").inner_text() == before
    page.click("[data-control=reset]")
    assert page.get_attribute("[data-control=rope]", "aria-invalid") is None


def test_a_cell_opens_its_pair(opened):
    """By mouse and by keyboard: the title names both models, and the sentence is that of the pair."""
    comparison = ANSWERS["holm"]()
    page = opened(report(comparison))
    cells = page.locator("[data-is=matrix] tbody td button")
    for place in (2, 20, 41):
        cells.nth(place).click()
        first, second = opened_pair(page, comparison)
        assert page.locator("[data-is=pair-sentence]").inner_text() == comparison.pair(first, second).sentence
        title = page.locator("[data-is=pair-title]").inner_text()
        assert first in title
        assert second in title
    cells.nth(0).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    first, second = opened_pair(page, comparison)
    assert page.locator("[data-is=pair-sentence]").inner_text() == comparison.pair(first, second).sentence


@pytest.mark.parametrize("name", ["two", "baseline", "datasets", "no_spread", "best", "twenty"])
def test_downloads_are_the_json_view(opened, name, tmp_path):
    """The answer as JSON is what `to_dict` gives, and the table of pairs is the frame."""
    comparison = ANSWERS[name]()
    asked = required(comparison)
    page = opened(report(comparison, asked))
    for kind in ("json", "pairs"):
        with page.expect_download() as download:
            page.click(f"[data-download={kind}]")
        download.value.save_as(tmp_path / kind)
    assert json.loads((tmp_path / "json").read_text()) == comparison.to_dict(asked)
    found, expected = pd.read_csv(tmp_path / "pairs", keep_default_na=False), comparison.pairs
    assert list(found.columns) == list(expected.columns)
    assert found["verdict"].tolist() == expected["verdict"].tolist()
    np.testing.assert_array_equal(pd.to_numeric(found["difference"]), expected["difference"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["two", "gaps", "baseline", "datasets", "twenty", "best"])
def test_the_page_is_accessible(opened, name, scheme):
    """axe-core finds nothing, as asked and after a change."""
    comparison = ANSWERS[name]()
    page = opened(report(comparison, required(comparison)), color_scheme=scheme)
    assert violations(page) == []
    page.fill("[data-control=rope]", "0.02")
    assert violations(page) == []


def violations(page):
    """Rules of axe-core that the page breaks, each with the first place."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"]) for each in found]


def test_two_hundred_models_are_redone(opened):
    """19,900 pairs: the page can be asked, though it holds estimates only."""
    rows = around(*(0.85 - 0.001 * np.arange(200)), noise=0.012, n_splits=20)
    comparison = compared(table(named(*rows, names=tuple(f"model {n}" for n in range(200)))), rope=0.01)
    page = opened(report(comparison))
    page.fill("[data-control=rope]", "0.03")
    assert page.locator("[data-is=sentence]").inner_text() == again(comparison, 0.03, 0.05).sentence
