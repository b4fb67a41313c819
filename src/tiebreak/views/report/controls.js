// The controls of the report: a rope and an alpha, and everything on the page that depends on them.
"use strict";

(() => {
  const REPORT = JSON.parse(document.getElementById("data").textContent);
  const STEPS = 200; // of the slider
  const ALL_PAIRS_UP_TO = 10; // pairs that the table of pairs shows whole

  // The next number of 1, 2, 5, 10, 20, ...
  function round125(x) {
    const power = Number(`1e${Math.floor(Math.log10(x))}`);
    return [1, 2, 5, 10].map((digit) => digit * power).find((number) => number >= x * (1 - 1e-9));
  }

  function setText(element, text) {
    if (element && text !== undefined && element.textContent !== text) element.textContent = text;
  }

  // What the rope, or the alpha, in a field is; null where it is none.
  function numberIn(input) {
    const value = input.valueAsNumber ?? Number(input.value);
    const isInside = Number.isFinite(value) && !(value < Number(input.min || -Infinity)) && !(value > Number(input.max || Infinity));
    input.setAttribute("aria-invalid", String(!isInside));
    return isInside ? value : null;
  }

  const names = (codes, all) => Array.from(codes, (code) => all[code]);

  class Controls {
    constructor(section, data) {
      this.section = section;
      this.number = Number(section.dataset.answer);
      this.data = data;
      this.asked = { ...data.asked };
      this.state = { ...data.asked };
      this.engine = Decide.engine(data);
      this.answer = this.engine.at(this.state);
      this.slider = this.control("rope-slider");
      this.rope = this.control("rope");
      this.setUpSlider();
      [this.slider, this.rope].forEach((input) => { input.disabled = !data.takes_rope; });
      this.setUpAlpha();
      this.slider.addEventListener("input", () => this.change({ rope: this.slider.valueAsNumber, given: null }, this.slider));
      this.rope.addEventListener("input", () => this.changeTo("rope", this.rope));
      this.alpha.addEventListener("input", () => this.changeTo("alpha", this.alpha));
      this.control("reset").addEventListener("click", () => this.change(this.asked));
      this.section.addEventListener("opened", ({ detail }) => {
        setText(this.one("[data-is=pair-sentence]"), this.answer.pairSentence(detail.first, detail.second));
      });
      this.fill();
      this.one("[data-part=controls]").hidden = false;
    }

    one(selector) {
      return this.section.querySelector(selector);
    }

    control(name) {
      return this.one(`[data-control=${name}]`);
    }

    // From 0 to where the widest interval of the family lies inside the rope.
    setUpSlider() {
      const ends = [...this.answer.low, ...this.answer.high].map(Math.abs).filter(Number.isFinite);
      const most = ends.reduce((largest, end) => Math.max(largest, end), 2 * this.asked.rope) || 1;
      const step = round125(most / STEPS);
      this.slider.min = "0";
      this.slider.step = Decide.general(step, 1);
      const end = Math.ceil(most / step) * step, widest = this.data.widest ?? Infinity;
      this.slider.max = Decide.general(end < widest ? end : widest - step, 12);
      if (widest < Infinity) this.rope.max = Decide.general(widest - step, 12);
    }

    // Where the script cannot compute ends, those of a choice of levels are in the data.
    setUpAlpha() {
      this.alpha = this.control("alpha");
      for (const { alpha } of this.data.levels ?? []) this.alpha.add(new Option(Decide.general(alpha), String(alpha)));
    }

    changeTo(name, input) {
      const value = numberIn(input);
      if (value !== null) this.change(name === "rope" ? { rope: value, given: null } : { alpha: value }, input);
    }

    // Another rope or alpha; the control that said so is left as it is.
    change(settings, from = null) {
      this.state = { ...this.state, ...settings };
      this.fill(from);
      this.show();
    }

    fill(from = null) {
      const { rope, alpha } = this.state;
      if (from !== this.slider) this.slider.value = String(rope);
      if (from !== this.rope) this.rope.value = Decide.general(rope);
      if (from !== this.alpha) this.alpha.value = this.alpha.tagName === "SELECT" ? String(alpha) : Decide.general(alpha);
      if (from === null) [this.rope, this.alpha].forEach((input) => input.removeAttribute("aria-invalid"));
      this.slider.setAttribute("aria-valuetext", `${Decide.general(rope, 6)} ${this.data.metric}`);
    }

    get isAsked() {
      return this.state.rope === this.asked.rope && this.state.alpha === this.asked.alpha;
    }

    // Everything that depends on the rope or on alpha, again.
    show() {
      const before = this.answer, answer = this.engine.at(this.state);
      this.answer = answer;
      setText(this.one("[data-is=sentence]"), answer.sentence);
      this.replace("[data-is=ranking-notes] p, p.small", before.bestNote, answer.bestNote);
      this.replace("[data-is=footnotes] li, p.small", before.familyNote, answer.familyNote);
      this.showAsked();
      this.showRequirements();
      this.showRanking();
      this.showPairTable();
      this.showIntervalName(before.intervalName({ isHeader: true }), answer.intervalName({ isHeader: true }));
      this.section.dispatchEvent(new CustomEvent("decided", { bubbles: true, detail: { ...this.state, answer: this.number } }));
    }

    replace(selector, before, after) {
      if (before === after) return;
      for (const each of this.section.querySelectorAll(selector)) if (each.textContent === before) each.textContent = after;
    }

    // Wherever the interval is named: headers, labels of cells on narrow screens, the note on the drawing.
    showIntervalName(before, after) {
      if (before === after) return;
      this.replace("th", before, after);
      for (const cell of this.section.querySelectorAll("[data-col=interval]")) cell.dataset.label = after;
      const about = this.one("[data-is=about]");
      if (about) about.textContent = about.textContent.replace(before, () => after);
    }

    showAsked() {
      const { rope, alpha } = this.state, say = (value) => Decide.general(value, 12);
      const shown = `rope ${say(rope)}, alpha ${say(alpha)}`, asked = `rope ${say(this.asked.rope)}, alpha ${say(this.asked.alpha)}`;
      const extra = this.one("[data-is=extra]");
      const more = extra.children.length ? " The next step, which holds for those only, is hidden." : "";
      setText(this.one("[data-is=asked]"), this.isAsked ? "" : `Shown for ${shown}; the analysis was made with ${asked}.${more}`);
      this.section.classList.toggle("other", !this.isAsked);
      extra.hidden = !this.isAsked;
    }

    showRequirements() {
      if (!this.data.requirements.length) return;
      setText(this.one("[data-is=requirements-title]"), this.answer.requirementsHeadline);
      const lines = this.section.querySelectorAll("[data-is=requirements] [data-row]");
      this.answer.requirements.forEach((each, row) => {
        setText(lines[row], each.line);
        lines[row].className = each.outcome;
      });
    }

    showRanking() {
      const { answer } = this, letters = answer.letters;
      for (const line of this.section.querySelectorAll("[data-is=ranking] [data-model]")) {
        const row = Number(line.dataset.model), texts = answer.ranking(row);
        if (letters) texts.letters = letters[row];
        for (const cell of line.querySelectorAll("[data-col]")) if (cell.dataset.col in texts) setText(cell, texts[cell.dataset.col]);
      }
    }

    // The table of pairs: the family where it is small, else the pairs of the reference.
    showPairTable() {
      const table = this.one("[data-part=pair-table] table"), { family, nPairs } = this.engine, { reference } = this.answer;
      if (!table) return;
      const rows = [...family.first.keys()].filter((row) => nPairs <= ALL_PAIRS_UP_TO || [family.first[row], family.second[row]].includes(reference));
      const headers = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
      const place = {
        difference: headers.indexOf("difference"), interval: headers.indexOf("difference") + 1, verdict: headers.indexOf("verdict"),
        p_better: headers.indexOf("P(better)"), p_equivalent: headers.indexOf("P(equiv.)"), p_worse: headers.indexOf("P(worse)"),
      };
      [...table.tBodies[0].rows].forEach((line, k) => {
        for (const [name, text] of Object.entries(this.answer.pairTexts(rows[k]))) if (place[name] >= 0) setText(line.cells[place[name]], text);
      });
      this.caption ??= table.caption.textContent; // it counts the pairs that are not shown, as asked
      setText(table.caption, this.isAsked ? this.caption : this.caption.replace(/ \(the others: [^()]*\)$/, ""));
    }

    // Columns of the family named as in the view of the data, for rope and alpha as they are set.
    columns() {
      const { answer } = this, { family } = this.engine;
      const rows = [...answer.verdict.keys()];
      const pairs = {
        level: answer.level, interval_low: [...answer.low], interval_high: [...answer.high],
        verdict: names(answer.verdict, Decide.VERDICTS), reason: rows.map((row) => answer.reason(row)),
      };
      if (this.data.is_posterior) {
        const each = rows.map((row) => answer.pair(family.first[row], family.second[row]));
        for (const name of ["p_better", "p_equivalent", "p_worse"]) pairs[name] = each.map((pair) => pair[name]);
      }
      return pairs;
    }
  }

  for (const section of document.querySelectorAll("section[data-answer]")) {
    section.controls = new Controls(section, { ...REPORT.answers[Number(section.dataset.answer)].decide, words: REPORT.words });
  }
})();
