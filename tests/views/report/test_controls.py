"""The report in a real browser: verdicts at any rope as Python says them, keyboard, accessibility, paper and telephone."""

import json

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import tiebreak as tb
from tests.views.answers import splits
from tests.views.report.answers import KINDS, again, answer_of, ropes
from tiebreak.comparison.ranking import STANDINGS
from tiebreak.comparison.settings import SINGLE_STEP
from tiebreak.numerics.law import VERDICTS
from tiebreak.views.comparison import ranking_lines

pytestmark = pytest.mark.browser

AT = """(ropes) => ropes.map((rope) => {
  const number = document.querySelector("input[type=number]");
  number.value = rope;
  number.dispatchEvent(new Event("input"));
  return [...document.querySelectorAll("[data-verdict]")].map((each) => [each.textContent, each.parentNode.className]);
})"""
"""Verdicts, and the classes that colour them, at some ropes."""


def expected(comparison):
    """Verdicts of the lines of the ranking, or standings in comparisons with the best."""
    reference = comparison.models.index(comparison.reference)
    role = "first" if comparison.settings.baseline is None else "baseline"
    rows = ranking_lines(comparison)
    if comparison.pair_table.family == "best":
        return [STANDINGS[comparison.ranking_table.standing[row]] for row in rows]
    return [role if row == reference else VERDICTS[comparison.against_reference.verdict[row]] for row in rows]


@pytest.mark.parametrize("name", KINDS)
def test_verdicts_at_another_rope_are_pythons(opened, name):
    """Also where an end of an interval is the rope itself; with a correction that goes step by step the rope stays."""
    comparison = answer_of(name)
    page = opened(comparison.to_html())
    asked = [[word, word.replace(" ", "-")] for word in expected(comparison)]
    assert page.evaluate(AT, [comparison.rope])[0] == asked
    if comparison.correction not in SINGLE_STEP:
        assert page.locator("fieldset input:disabled").count() == 2
        assert "goes step by step" in page.locator("[data-status]").inner_text()
        return
    tried = ropes(comparison, np.random.default_rng(0))
    for rope, found in zip(tried, page.evaluate(AT, tried), strict=True):
        assert [word for word, _ in found] == expected(again(comparison, rope)), rope
        assert all(kind == word.replace(" ", "-") for word, kind in found)


def test_what_holds_for_the_asked_rope_only_is_hidden_beside_another(opened):
    """Headline, next step, small print and figures go; the status says so, and the button brings them back."""
    comparison = answer_of("splits 2 loss")
    page = opened(comparison.to_html())
    headline, figures = page.locator(".headline"), page.locator("figure")
    assert headline.inner_text() == comparison.headline
    page.fill("input[type=number]", "0.0311")
    assert not headline.is_visible()
    assert not any(figure.is_visible() for figure in figures.all())
    status = page.locator("[data-status]").inner_text()
    assert status.startswith("With differences up to 0.0311 not mattering: ")
    assert status.endswith(f"hidden, as they hold for {comparison.rope:.15g} only.")
    page.click("[data-reset]")
    assert headline.is_visible()
    assert page.locator("[data-status]").inner_text() == ""


def test_the_slider_moves_by_keyboard_and_the_field_refuses_what_is_no_rope(opened):
    """An arrow is a step; an empty or negative number is marked and changes nothing."""
    page = opened(answer_of("splits 2 better").to_html())
    page.focus("input[type=range]")
    page.keyboard.press("ArrowRight")
    step = float(page.get_attribute("input[type=range]", "step"))
    assert float(page.input_value("input[type=number]")) == pytest.approx(0.01 + step, abs=step)
    before = page.locator("tbody").first.inner_text()
    for text in ("", "-1"):
        page.fill("input[type=number]", text)
        assert page.get_attribute("input[type=number]", "aria-invalid") == "true"
        assert page.locator("tbody").first.inner_text() == before


def test_the_drawn_rope_is_as_wide_as_the_rope(opened):
    """In the unit of the drawn intervals: from the place of -rope to that of rope."""
    comparison = answer_of("splits 2 better")
    page = opened(comparison.to_html())
    low, high = map(float, page.get_attribute("[data-answer]", "data-scale").split())
    page.fill("input[type=number]", "0.004")
    width = float(page.get_attribute("svg .rope", "width").removesuffix("%"))
    assert width == pytest.approx(100 * 0.008 / (high - low))


def test_two_hundred_models_follow_the_rope(opened):
    """Of 201 models 200 have a row, as is said, and all but the first are within a rope of all."""
    names = tuple(f"model {n}" for n in range(201))
    page = opened(splits(*(0.85 - 0.001 * np.arange(201)), noise=0.012, n=10, names=names, rope=0.01).to_html())
    assert page.get_by_text("The first 200 of 201 models; the data of this file have all.").is_visible()
    page.fill("input[type=number]", "0.9")
    assert page.locator("[data-verdict]").all_inner_texts() == ["first", *["equivalent"] * 199]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["splits 2 better", "splits 4 gaps", "splits 5 baseline", "datasets 4 open", "splits 5 against the best"]
)
def test_the_page_is_accessible(opened, name, scheme):
    """axe-core finds nothing, as asked, with everything opened, and at another rope."""
    comparison = answer_of(name)
    asked = comparison.meets(not_worse=(comparison.models[0], comparison.models[-1]))
    page = opened(comparison.to_html(requirements=asked), color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert violations(page) == []
    page.fill("input[type=number]", "0.02")
    assert violations(page) == []


def violations(page):
    """Rules of axe-core that the page breaks, each with the first place."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:200], each["nodes"][0]["failureSummary"]) for each in found]


@pytest.mark.parametrize("width", [375, 768, 1280])
def test_nothing_is_wider_than_the_window(opened, width):
    """Names of sixty characters, and the widest tables, which scroll in a box of their own."""
    names = tuple(f"a candidate of the search over depth, leaves, rates, seed {n:02}" for n in range(12))
    answer = splits(*(0.85 - 0.004 * np.arange(12)), noise=0.012, n=20, names=names, rope=0.01)
    page = opened(answer.to_html(), viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_on_paper(opened):
    """No controls, nothing that is shut, the ranking as a table, black on white, nothing wider than the 182 mm of A4."""
    page = opened(answer_of("splits 5 baseline").to_html(), viewport={"width": 688, "height": 1000}, color_scheme="dark")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for selector in ("fieldset", "[data-download]", "details:not([open])"):
        assert not any(each.is_visible() for each in page.locator(selector).all()), selector
    assert page.evaluate("getComputedStyle(document.querySelector('.ranking tr')).display") == "table-row"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 688


def test_the_data_are_saved_and_read_back(opened, tmp_path):
    """As a file that `compare` answers as it answered before."""
    comparison = answer_of("splits 4 gaps")
    page = opened(comparison.to_html())
    with page.expect_download() as download:
        page.click("[data-download]")
    download.value.save_as(tmp_path / "saved.json")
    assert json.loads((tmp_path / "saved.json").read_text())["schema"]
    assert tb.compare(tmp_path / "saved.json").pairs.equals(comparison.pairs)
