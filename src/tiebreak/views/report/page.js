// The slider: verdicts for another rope, from the ends of intervals that stand in the rows.
(() => {
  "use strict";
  const VERDICTS = ["better", "ahead", "equivalent", "undecided", "behind", "worse", "near best", "may be best"];

  // The place of an interval, tested in the same order as in tiebreak/numerics/law.py.
  function verdictOf(low, high, rope, tolerance) {
    const outer = rope + tolerance;
    if (low > outer) return "better";
    if (high < -outer) return "worse";
    if (low >= -outer && high <= outer && rope > 0) return "equivalent";
    return low > tolerance ? "ahead" : high < -tolerance ? "behind" : "undecided";
  }

  function ready(section) {
    const { rope: asked, tolerance, scale, best } = section.dataset, [left, right] = scale.split(" ").map(Number);
    const [slider, number] = section.querySelectorAll("fieldset input"), reset = section.querySelector("[data-reset]");
    const rows = [...section.querySelectorAll("tr[data-high]")].map((row) => ({
      row, low: Number(row.dataset.low), high: Number(row.dataset.high), cell: row.querySelector("[data-verdict]"), written: row.querySelector("[data-verdict]").textContent,
    }));
    const bands = section.querySelectorAll("svg .rope"), status = section.querySelector("[data-status]"), stays = status.textContent;
    const percent = (value) => Math.min(100, Math.max(0, (100 * (value - left)) / (right - left)));

    function said({ row, low, high }, rope) {
      if (best === undefined) return verdictOf(low, high, rope, Number(tolerance));
      return rope > 0 && high <= rope + Number(tolerance) ? "near best" : row.dataset.otherwise;
    }
    function show(rope) {
      const isAsked = rope === Number(asked), counts = new Map();
      for (const each of rows) {
        const verdict = isAsked ? each.written : said(each, rope);
        counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
        if (each.cell.textContent === verdict) continue;
        each.cell.textContent = verdict;
        each.row.className = verdict.replaceAll(" ", "-");
      }
      const [x, end] = [percent(best === undefined ? -rope : 0), percent(rope)];
      for (const band of bands) {
        band.setAttribute("x", `${x}%`);
        band.setAttribute("width", `${rope > 0 ? end - x : 0}%`);
      }
      for (const part of section.querySelectorAll("[data-asked]")) part.hidden = !isAsked;
      reset.disabled = isAsked;
      const tally = VERDICTS.filter((name) => counts.has(name)).map((name) => `${counts.get(name)} ${name}`).join(", ");
      status.textContent = isAsked ? stays : `With differences up to ${Number(rope.toPrecision(6))} not mattering: ${tally}. Sentences and figures are hidden, as they hold for ${Number(asked)} only.`;
    }
    slider.addEventListener("input", () => {
      number.value = slider.value;
      number.removeAttribute("aria-invalid");
      show(slider.valueAsNumber);
    });
    number.addEventListener("input", () => {
      const isNumber = number.valueAsNumber >= 0;
      number.setAttribute("aria-invalid", String(!isNumber));
      if (!isNumber) return;
      slider.value = number.value;
      show(number.valueAsNumber);
    });
    reset.addEventListener("click", () => {
      number.value = slider.value = asked;
      number.removeAttribute("aria-invalid");
      show(Number(asked));
    });
    section.querySelector("fieldset").hidden = false;
    show(Number(asked));
  }

  const sections = [...document.querySelectorAll("[data-answer]")];
  sections.forEach(ready);
  document.getElementById("switch")?.addEventListener("change", ({ target }) => {
    for (const section of sections) section.hidden = section.dataset.answer !== target.value;
  });
  const content = JSON.parse(document.getElementById("data").textContent), link = document.querySelector("[data-download]");
  link.hidden = false;
  link.download = "tiebreak.json";
  link.href = "#";
  link.addEventListener("click", () => {
    const url = URL.createObjectURL(new Blob([`${JSON.stringify(content)}\n`], { type: "application/json" }));
    link.href = url;
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
})();
