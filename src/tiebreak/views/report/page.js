// The page: its controls, pairs that open, drawings, and data to download. What is decided for a rope and an alpha, decide.js says.
"use strict";

const Page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const SYMBOLS = { better: "▲", ahead: "△", equivalent: "■", undecided: "○", behind: "▽", worse: "▼" };
  const inMatrix = (verdict) => (verdict === "undecided" ? "" : SYMBOLS[verdict]); // what is decided only
  const UNSEEN = /[\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb]/gu;
  const ALL_PAIRS_UP_TO = 10; // that the table of pairs shows whole

  // --- elements -----------------------------------------------------------------------------------------------------------
  function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children.filter((child) => child !== undefined));
    return element;
  }
  const make = (tag, text, attributes = {}) => filled(document.createElement(tag), attributes, [text]);
  const drawn = (tag, attributes, ...children) => filled(document.createElementNS(SVG, tag), attributes, children);
  const readable = (text) => text.replace(UNSEEN, (c) => {
    const code = c.codePointAt(0), short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    return short || (code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0"));
  });
  // Another text, or without one the text that Python wrote.
  const written = new WeakMap();
  function setText(element, text) {
    if (!written.has(element)) written.set(element, element.textContent);
    const shown = text ?? written.get(element);
    if (element.textContent !== shown) element.textContent = shown; // the same text anew would be laid out anew, too
  }
  const setClass = (element, name) => { if (element.className !== name) element.className = name; };
  function table(caption, headers, rows) {
    const head = headers.map((header, k) => make("th", header, { scope: "col", class: k ? "r" : "" }));
    const lines = rows.map((row) => filled(make("tr"), {}, row.map((each, k) => (k ? make("td", each, { class: "r" }) : make("th", each, { scope: "row" })))));
    const parts = [filled(make("thead"), {}, [filled(make("tr"), {}, head)]), filled(make("tbody"), {}, lines)];
    return filled(make("table"), {}, [make("caption", caption), ...parts]);
  }

  // --- drawings -----------------------------------------------------------------------------------------------------------
  const { decimalsFor, formatScore, formatProbability, formatPvalue, general } = typeof Decide === "undefined" ? {} : Decide; // no comparison
  function scaleOf(values) {
    const known = values.filter(Number.isFinite), low = Math.min(...known), high = Math.max(...known);
    const margin = 0.04 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low - margin, high + margin];
  }
  const share = ([low, high], value) => Math.min(Math.max((value - low) / (high - low), 0), 1);
  const place = (scale, value) => `${(100 * share(scale, value)).toFixed(2)}%`;
  function ticks(scale, top) {
    const raw = (scale[1] - scale[0]) / 6, size = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= raw * 0.999), marks = [];
    for (let n = Math.ceil(scale[0] / step); n * step <= scale[1]; n += 1) {
      const x = place(scale, n * step), text = formatScore(n * step, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))).replace("-", "−");
      marks.push(drawn("line", { x1: x, x2: x, y1: top, y2: top + 5 }), drawn("text", { x, y: top + 18 }, text));
    }
    return marks;
  }
  const [FOREMOST, OUTLIER] = [25, 3]; // as in figures.py: rows far off do not press those that are shown first together
  function mostDrawn(rows) {
    const reach = rows.map(({ low, middle, high }) => Math.max(...[low, middle, high].map((value) => (Number.isFinite(value) ? Math.abs(value) : 0))));
    const sorted = reach.slice(0, FOREMOST).filter((value) => value > 0).sort((a, b) => a - b), last = sorted.length - 1;
    const most = (OUTLIER / 2) * (sorted[Math.floor(last / 2)] + sorted[Math.ceil(last / 2)]);
    return Math.max(0, ...reach) > 1.5 * most ? most : Infinity;
  }
  function bandOf(scale, rope) {
    const [from, to] = [-rope, rope].map((value) => place(scale, value));
    return { x: from, width: `${(parseFloat(to) - parseFloat(from)).toFixed(2)}%` };
  }
  // The rope, a line at 0, an interval and its estimate; a curve, if there is one, behind them.
  function marks(scale, { low, middle, high }, rope, { height, at, radius }, behind) {
    const zero = place(scale, 0);
    return [
      rope ? drawn("rect", { class: "rope", ...bandOf(scale, rope), height }) : undefined, behind,
      drawn("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: height }),
      Number.isNaN(low + high) ? undefined : drawn("line", { class: "range", x1: place(scale, low), x2: place(scale, high), y1: at, y2: at }),
      !Number.isFinite(middle) ? undefined : middle >= scale[0] && middle <= scale[1] ? drawn("circle", { cx: place(scale, middle), cy: at, r: radius })
        : drawn("text", { class: "beyond", x: place(scale, middle), y: at + 4 }, middle < 0 ? "◀" : "▶"),
    ];
  }
  // Heights of a density, given from -4 to 4 standard errors around the estimate.
  function curve(id, scale, heights, { middle, standard_error: error }, rope, height) {
    const half = (heights.length - 1) / 2, x = (k) => 1000 * share(scale, middle + (4 * error * (k - half)) / half);
    const point = (value, k) => `${x(k).toFixed(1)} ${(height - 6 - ((height - 20) * value) / heights[half]).toFixed(1)}`;
    const path = drawn("path", { class: "density", fill: `url(#${id})`, d: `M0 ${height - 6}L${heights.map(point).join("L")}L1000 ${height - 6}Z` });
    return drawn("svg", { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", height, width: "100%" }, regions(id, scale, rope), path);
  }
  // The fill of a curve in parts: where the first model is worse, equivalent and better.
  function regions(id, scale, rope) {
    const [from, to] = [-rope, rope].map((value) => share(scale, value));
    const parts = [[0, "worse"], [from, "worse"], [from, "equivalent"], [to, "equivalent"], [to, "better"], [1, "better"]];
    return drawn("linearGradient", { id, gradientUnits: "userSpaceOnUse", x1: 0, x2: 1000 }, ...parts.map(([offset, name]) => drawn("stop", { offset, class: name })));
  }
  function pairFigure(id, title, pair, rope, heights, differences) {
    const { middle, low, high, standard_error: error } = pair, reach = heights ? 4 * error : 0, height = heights ? 150 : 32;
    // of right and wrong answers no scale has room for both, the differences and the interval
    const each = differences.some((value) => Math.abs(value - middle) > 4 * (high - low)) ? [] : differences;
    const most = Math.max(...[Math.abs(middle) + reach, Math.abs(low), Math.abs(high)].filter(Number.isFinite));
    const scale = scaleOf([middle - reach, middle + reach, low, high, 0, ...(rope < 6 * most ? [-rope, rope] : []), ...each]);
    const about = `Estimate ${pair.text.difference}, interval ${pair.text.interval}${rope ? `, rope ±${rope}` : ""}.`;
    const dots = each.map((value, k) => `M${(1000 * share(scale, value)).toFixed(0)} ${(12 + 16 * ((k * 0.618034) % 1 - 0.5)).toFixed(0)}h1`); // a point has no length, and is lost in a PDF
    const strip = { viewBox: "0 0 1000 24", preserveAspectRatio: "none", y: height + 6, height: 24, width: "100%" };
    const whole = { class: `row figure ${pair.verdict}`, width: "100%", height: height + 64, role: "img", "aria-labelledby": `${id}-t ${id}-d` };
    const inside = marks(scale, pair, rope, { height: height + 34, at: height - 6, radius: 5.5 }, heights && curve(`${id}-c`, scale, heights, pair, rope, height));
    return drawn("svg", whole, drawn("title", { id: `${id}-t` }, title), drawn("desc", { id: `${id}-d` }, about), ...inside,
      drawn("svg", strip, drawn("path", { class: "dots", d: dots.join("") })), ...ticks(scale, height + 36));
  }

  // --- data ---------------------------------------------------------------------------------------------------------------
  // One value of a column of the data: the same everywhere, or one for each row.
  const at = (column, row) => (Array.isArray(column) ? column[row] : column);
  function records(columns, names) {
    const n = Math.max(...Object.values(columns).map((column) => (Array.isArray(column) ? column.length : 0)));
    const named = (name, value) => (["first", "second", "model"].includes(name) ? names[value] : value);
    return Array.from({ length: n }, (_, row) => Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, named(name, at(column, row))])));
  }
  // Columns of which some are packed as those of decide.js; JSON has null for what is undefined.
  function unpackedColumns(columns) {
    const n = columns.rank?.length ?? columns.first.length, known = (value) => (Number.isFinite(value) ? value : null);
    return Object.fromEntries(Object.entries(columns).map(([name, column]) =>
      [name, typeof column?.values === "string" ? Array.from(Decide.unpacked(column, n), known) : column]));
  }
  function cell(value) {
    if (typeof value !== "string") return typeof value === "boolean" ? (value ? "True" : "False") : String(value ?? "");
    const text = readable(value), safe = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }
  const csv = (headers, rows) => [headers, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  const json = (value) => JSON.stringify(value, null, 1) + "\n";
  function scoreRows({ view: { scores }, units, names }) {
    const items = () => names.flatMap((model, m) => units.score[m].map((value, k) => [units.names[k], model, value]));
    if (!scores.length) return csv(["item", "model", "score"], items());
    return csv(["dataset", "model", "repeat", "fold", "n_train", "n_test", "score"], scores.flatMap((held) => held.models.flatMap((model, m) =>
      held.score[m].map((score, k) => [held.dataset, model, held.repeat[k], held.fold[k], held.n_train?.[k], held.n_test?.[k], score]))));
  }
  const pairOf = (button) => button.dataset.pair.split(" ").map(Number);
  const pairRows = (answer) => records(answer.pairs, answer.names);
  const WRITERS = {
    json: (each) => ["answer.json", "application/json", json({ ...each.view, ranking: records(unpackedColumns(each.view.ranking), each.names), pairs: pairRows(each) })],
    pairs: (each) => ["pairs.csv", "text/csv", csv(Object.keys(pairRows(each)[0]), pairRows(each).map(Object.values))],
    result: () => ["result.json", "application/json", json(data.result ?? data.results)],
    scores: (each) => ["scores.csv", "text/csv", scoreRows(each)],
  };
  function offer(line, answer) {
    line.hidden = false;
    if (answer && !answer.units) line.querySelector("[data-download=scores]").remove();
    for (const link of line.querySelectorAll("a")) {
      link.href = "#";
      link.addEventListener("click", () => {
        const [name, type, text] = WRITERS[link.dataset.download](answer);
        Object.assign(link, { download: name, href: URL.createObjectURL(new Blob([text], { type })) });
      });
    }
  }

  // --- one comparison -----------------------------------------------------------------------------------------------------
  class Controls {
    constructor(section, held) {
      Object.assign(this, { section, view: held.view, names: held.models, data: { ...held.decide, words: data.words } });
      const { items, scores } = held.view, inOrder = (name) => items.score[items.models.indexOf(name)][0];
      this.units = held.units === "items" ? { names: items.items, score: held.models.map(inOrder) } : held.units ?? scores[0]; // of items, or of splits
      this.shown = held.decide.shown ?? held.models;
      this.engine = Decide.engine(this.data);
      [this.asked, this.state, this.columns] = [this.data.asked, this.data.asked, {}]; // columns: those of the pairs as numbers, once asked for
      this.answer = this.first = this.engine.at(this.state);
      [this.slider, this.rope, this.alpha] = ["rope-slider", "rope", "alpha"].map((name) => this.one(`[data-control=${name}]`));
      this.slider.addEventListener("input", () => this.change({ rope: this.slider.valueAsNumber, given: null }, this.slider));
      this.rope.addEventListener("input", () => this.typed(this.rope));
      this.alpha.addEventListener("input", () => this.change({ alpha: this.data.alphas[this.alpha.selectedIndex].alpha }, this.alpha));
      this.one("[data-control=reset]").addEventListener("click", () => this.change(this.asked));
      this.fill();
      this.one("[data-part=controls]").hidden = false;
      this.picks = ["first", "second"].map((name) => this.one(`[data-pick=${name}]`));
      for (const pick of this.picks) {
        pick.append(...this.shown.map((name, row) => make("option", name, { value: row })));
        pick.addEventListener("change", () => this.open(...this.picks.map((each) => Number(each.value))));
      }
      this.noted = this.all("thead th, p.small, .small p, .small li"); // found once, as the slider asks for them at every step
      this.lines = this.all("[data-is=ranking] [data-model]").map((line) => ({
        row: Number(line.dataset.model), cells: [...line.querySelectorAll("[data-col]:not([data-col=drawn])")], drawing: line.querySelector("[data-col=drawn]"), words: line.querySelectorAll(".word"),
      }));
      this.one("[data-is=pair-scores]")?.parentNode.addEventListener("toggle", () => this.showPairScores());
      this.readyMatrix();
      this.readyRows();
      offer(this.one("[data-part=downloads]"), this);
      this.open(this.engine.family.first[0], this.engine.family.second[0]);
    }
    one(selector) { return this.section.querySelector(selector); }
    all(selector) { return [...this.section.querySelectorAll(selector)]; }
    find(name) { return this.one(`[data-is="${name}"]`); }
    get isAsked() { return this.state.rope === this.asked.rope && this.state.alpha === this.asked.alpha; }

    // Columns of the pairs; where they are too many to be written, those of the answer as it was asked.
    get pairs() {
      const held = this.view.pairs, isWritten = held.interval_low !== undefined;
      if (isWritten && held.first) return unpackedColumns(held);
      const { first, second } = this.engine.family, each = Array.from(first, (one, row) => this.first.pair(one, second[row]));
      if (isWritten) { // what decide.js has, too, is null
        const columns = Object.entries(held).map(([name, column]) => [name, column ?? each.map((pair) => pair[name])]);
        return unpackedColumns({ ...Object.fromEntries(columns), first: Array.from(first), second: Array.from(second) });
      }
      const optional = ["standard_error", "df"].filter((name) => this.engine.pairs[name]);
      const names = ["first", "second", "n_units", "difference", ...optional, "interval_low", "interval_high", "verdict", "reason"];
      return Object.fromEntries(names.map((name) => [name, each.map((pair) => pair[name])]));
    }

    // --- rope and alpha
    typed(input) {
      const value = input.valueAsNumber, isInside = value >= Number(input.min) && value <= Number(input.max || Infinity);
      input.setAttribute("aria-invalid", String(!isInside));
      if (isInside) this.change({ rope: value, given: null }, input);
    }
    // Another rope or alpha; the control that said so is left as it is.
    change(settings, from = null) {
      this.state = { ...this.state, ...settings };
      this.answer = this.engine.at(this.state);
      this.fill(from);
      this.show();
    }
    fill(from = null) {
      const { rope, alpha } = this.state, { slider } = this;
      if (from !== slider) slider.value = String(rope);
      if (from !== this.rope) this.rope.value = general(rope);
      if (from !== this.rope) this.rope.removeAttribute("aria-invalid");
      this.alpha.selectedIndex = this.data.alphas.findIndex((each) => each.alpha === alpha);
      slider.setAttribute("aria-valuetext", `${general(rope, 6)} ${this.data.metric}`);
    }
    // Everything that depends on the rope or on alpha, again.
    show() {
      const { answer, isAsked } = this, extra = this.find("extra"), words = (state) => `rope ${general(state.rope, 12)}, alpha ${general(state.alpha, 12)}`;
      setText(this.find("sentence"), answer.sentence);
      const more = extra.children.length ? " and the next step, which hold for those only, are" : ", which holds for those only, is";
      setText(this.find("asked"), isAsked ? "" : `Shown for ${words(this.state)}; the analysis was made with ${words(this.asked)}. The headline${more} hidden.`);
      this.section.classList.toggle("other", !isAsked);
      this.find("headline").hidden = extra.hidden = !isAsked;
      const notes = { [this.first.familyNote]: answer.familyNote };
      answer.held.notes.forEach((note, k) => { notes[this.data.notes[k]] = note; });
      for (const each of this.noted) setText(each, notes[written.get(each) ?? each.textContent]);
      for (const each of this.all("[data-col=interval]")) each.dataset.label = answer.held.header;
      this.showRequirements();
      this.showRanking();
      this.showPairTable();
      this.showMatrix();
      this.open(...["first", "second"].map((name) => Number(this.one("[data-part=pair]").dataset[name])));
    }
    showRequirements() {
      if (!this.data.requirements.length) return;
      setText(this.find("requirements-title"), this.answer.requirementsHeadline);
      this.answer.requirements.forEach((each, row) => {
        const line = this.one(`[data-is=requirements] [data-row="${row}"]`);
        setText(line, each.line);
        line.className = each.outcome;
      });
    }
    showRanking() {
      const { answer, lines, state: { rope } } = this, texts = answer.held.texts ?? {}, drawings = lines.map((line) => this.bounds(line.row));
      const known = drawings.flatMap(({ low, middle, high }) => [low, middle, high]).filter(Number.isFinite);
      const most = this.data.family === "best" ? Infinity : mostDrawn(drawings);
      const scale = scaleOf([0, ...known.map((value) => Math.min(Math.max(value, -most), most)), ...(rope < 4 * Math.max(0, ...known.map(Math.abs)) ? [-rope, rope] : [])]);
      lines.forEach((line, k) => {
        const own = answer.rankingTexts(line.row), { low, middle, high, kind } = drawings[k], key = [...scale, low, middle, high, kind, rope > 0].join();
        for (const each of line.cells) setText(each, own[each.dataset.col] ?? texts[each.dataset.col]?.[k]);
        for (const word of line.words) setClass(word, `word ${word.textContent.split(" (")[0].replaceAll(" ", "-")}`);
        if (line.drawn === key) { // only the band of the rope is another
          if (rope) filled(line.drawing.querySelector(".rope"), bandOf(scale, rope), []);
          return;
        }
        line.drawn = key;
        const inside = marks(scale, drawings[k], rope, { height: "100%", at: 11, radius: 4.5 });
        line.drawing.replaceChildren(drawn("svg", { class: `row ${kind}`, width: "100%", height: 22, "aria-hidden": "true" }, ...inside));
      });
      if (this.axis === scale.join()) return;
      this.axis = scale.join();
      this.find("axis").replaceChildren(drawn("svg", { class: "axis", width: "100%", height: 20, "aria-hidden": "true" }, ...ticks(scale, 0)));
    }
    // What is drawn of a model: its difference to the reference, or by how much at most it falls short of the best.
    bounds(row) {
      const { answer } = this, { verdict, ...pair } = row === answer.reference ? { low: NaN, middle: 0, high: NaN, verdict: "" } : this.drawnPair(row, answer.reference);
      if (this.data.family !== "best") return { ...pair, kind: verdict };
      return { low: 0, middle: NaN, high: answer.shortfall[row], kind: answer.rankingTexts(row).standing.replaceAll(" ", "-") };
    }
    // The table of pairs: the family where it is small, else the pairs of the reference.
    showPairTable() {
      const shown = this.one("[data-part=pair-table] table"), { first, second } = this.engine.family, { reference } = this.answer;
      const rows = [...first.keys()].filter((row) => first.length <= ALL_PAIRS_UP_TO || [first[row], second[row]].includes(reference));
      const headers = [...shown.tHead.rows[0].cells].map((each) => each.textContent), difference = headers.indexOf("difference");
      const columns = { difference, interval: difference + 1, verdict: headers.indexOf("verdict") };
      [...shown.tBodies[0].rows].forEach((line, k) => {
        const texts = this.answer.pairTexts(first[rows[k]], second[rows[k]]);
        for (const [name, column] of Object.entries(columns)) if (column >= 0) setText(line.cells[column], texts[name]);
      });
      setText(shown.caption, this.isAsked ? undefined : shown.caption.textContent.replace(/ \(the others: [^()]*\)$/, "")); // counted as asked
    }
    showMatrix() {
      for (const cell of this.cells) {
        const verdict = this.answer.verdict(cell.r, cell.c);
        if (cell.verdict === verdict) continue; // most of a thousand cells stay what they are while the slider moves
        cell.verdict = verdict;
        setText(cell.button, inMatrix(verdict));
        cell.button.parentNode.className = verdict;
        cell.button.setAttribute("aria-label", `${this.shown[cell.r]} against ${this.shown[cell.c]}: ${verdict}`);
      }
    }

    // --- one pair
    drawnPair(first, second) {
      const { answer } = this, pair = answer.pair(first, second), decimals = decimalsFor(pair.resolution);
      return { ...pair, low: pair.interval_low, high: pair.interval_high, middle: pair.difference, decimals, text: answer.pairTexts(first, second, decimals) };
    }
    differences(first, second) {
      const sign = this.answer.data.higher_is_better ? 1 : -1, [one, two] = [first, second].map((row) => this.units?.score[row] ?? []);
      return one.map((value, k) => (value === null || two[k] === null ? null : sign * (value - two[k])));
    }
    open(first, second) {
      const panel = this.one("[data-part=pair]"), title = this.find("pair-title"), { answer, shown } = this;
      panel.hidden = false;
      Object.assign(panel.dataset, { first, second });
      [this.picks[0].value, this.picks[1].value] = [first, second];
      const pressed = this.cells.find(({ r, c }) => r === first && c === second);
      if (pressed !== this.pressed) this.pressed?.button.setAttribute("aria-pressed", "false");
      this.pressed = pressed;
      pressed?.button.setAttribute("aria-pressed", "true");
      title.replaceChildren(`${shown[first]} against ${shown[second]}`);
      for (const name of ["pair-figure", "pair-numbers", "pair-scores"]) this.find(name)?.replaceChildren();
      const isKnown = this.engine.has(first, second), why = first === second ? "Choose two different models." : this.data.kept?.said;
      this.find("pair-sentence").textContent = isKnown ? answer.pairSentence(first, second) : why;
      this.pairScores = undefined;
      if (!isKnown) return;
      const pair = this.drawnPair(first, second), words = { class: `word ${pair.verdict}` }, id = `pair-${this.section.dataset.answer}`;
      if (pair.verdict) title.append(": ", make("span", `${SYMBOLS[pair.verdict]} ${pair.text.verdict}`, words));
      const each = this.differences(first, second), heights = pair.standard_error > 0 ? this.data.densities[pair.df] : undefined;
      const known = each.filter((value) => value !== null), about = `Difference of ${shown[first]} and ${shown[second]}`;
      this.find("pair-figure").append(pairFigure(id, about, pair, answer.rope, heights, known));
      this.find("pair-numbers").append(this.pairNumbers(first, second, pair));
      this.pairScores = () => this.scoresOf(first, second, each, pair.decimals);
      this.showPairScores();
    }
    // Only where they are open: they are many rows.
    showPairScores() {
      const place = this.find("pair-scores");
      if (place?.parentNode.open && this.pairScores) place.replaceChildren(this.pairScores());
    }
    pairNumbers(first, second, pair) {
      const { shown, engine: { family }, view: { pairs, metric } } = this, { baseline } = this.data, { interval, difference } = pair.text;
      const row = baseline === undefined ? pair.at : family.first.indexOf(first === baseline ? second : first);
      const column = (name) => (this.columns[name] ??= unpackedColumns({ first: family.first, [name]: pairs[name] })[name]), known = (name) => (pair.is_in_family && pairs[name] !== undefined ? at(column(name), row) : null);
      const ends = `${interval === "-" ? "none" : interval} (${pair.is_in_family ? `level ${this.answer.held.level}` : "its own"}, n = ${pair.n_units})`;
      const rows = [["Difference", difference], [pair.is_in_family ? "Interval that decides" : "Interval", ends]];
      if (known("adjusted_pvalue") !== null) rows.push(["p-value of no difference, adjusted", formatPvalue(known("adjusted_pvalue"))]);
      if (pair.standard_error > 0) rows.push(["Standard error", formatScore(pair.standard_error, pair.decimals + 1)]);
      if (pair.df > 0) rows.push(["Degrees of freedom", general(pair.df, 6)]);
      const regions = ["p_better", "p_equivalent", "p_worse"].map(known), turned = family.first[row] === first ? regions : regions.reverse();
      const isKnown = this.isAsked && regions.every(Number.isFinite); // for the rope that was asked
      if (isKnown) rows.push(["P(better), P(equivalent), P(worse) of this pair by itself", turned.map(formatProbability).join(", ")]);
      const [minus, better] = this.answer.data.higher_is_better ? ["minus", ""] : ["against", " (lower is better)"];
      return table(`${readable(metric.name)} of ${shown[first]} ${minus} ${shown[second]}; positive favours the first${better}`, ["quantity", "value"], rows);
    }
    scoresOf(first, second, differences, decimals) {
      const { shown, units: { names, repeat, fold, score } } = this, text = (value, signed = false) => formatScore(value ?? NaN, decimals, { signed });
      const line = (value, k) => [names ? readable(names[k]) : `${repeat[k]}, ${fold[k]}`, text(score[first][k]), text(score[second][k]), text(value, true)];
      return table("", [names ? "name" : "repeat, fold", shown[first], shown[second], "difference"], differences.map(line));
    }

    // --- what can be clicked
    readyMatrix() {
      const matrix = this.find("matrix"), cells = this.cells = [], columns = matrix?.dataset.columns.split(" ").map(Number);
      for (const each of this.all("[data-is=matrix] tbody td:not(.self)")) {
        const [r, c] = [each.parentNode.sectionRowIndex, columns[each.cellIndex - 1]];
        const button = make("button", each.textContent, { type: "button", "data-pair": `${r} ${c}`, tabindex: -1, "aria-pressed": false });
        each.replaceChildren(button);
        cells.push({ button, r, c });
      }
      this.showMatrix();
      matrix?.querySelector("button")?.setAttribute("tabindex", 0);
      matrix?.addEventListener("click", ({ target }) => {
        if (!target.dataset.pair) return;
        this.open(...pairOf(target));
        this.find("pair-title").focus({ preventScroll: true });
        this.find("pair-title").scrollIntoView({ block: "nearest" });
      });
      matrix?.addEventListener("keydown", (event) => {
        const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key], { rows } = matrix.tBodies[0];
        if (!step || !event.target.dataset.pair) return;
        event.preventDefault();
        let [r, k] = [event.target.closest("tr").sectionRowIndex + step[0], event.target.parentNode.cellIndex + step[1]];
        while (rows[r]?.cells[k] && k && !rows[r].cells[k].firstElementChild) [r, k] = [r + step[0], k + step[1]];
        const next = k ? rows[r]?.cells[k]?.firstElementChild : null;
        if (!next) return;
        [event.target.tabIndex, next.tabIndex] = [-1, 0];
        next.focus();
      });
    }
    readyRows() {
      const button = this.one("[data-control=more]"), words = ["Show the first 25 only", `Show all ${this.names.length} models`];
      const toggle = () => {
        const isShort = this.section.classList.toggle("short");
        button.setAttribute("aria-expanded", !isShort);
        button.textContent = words[Number(isShort)];
      };
      button?.addEventListener("click", toggle);
      if (button) toggle();
    }
  }

  // --- the whole page -----------------------------------------------------------------------------------------------------
  const answers = [...document.querySelectorAll("[data-answer]")].map((section) => {
    section.controls = new Controls(section, data.answers[section.dataset.answer]);
    return section.controls;
  });
  const line = document.querySelector("footer [data-part=downloads]");
  if (line) offer(line);
  const printed = document.querySelectorAll("details[data-print]"); // the others are left out of a print while they are shut
  addEventListener("beforeprint", () => printed.forEach((each) => { each.open = true; }));
  const chosen = document.getElementById("switch");
  if (chosen) {
    const show = () => answers.forEach((answer, k) => { answer.section.hidden = k !== Number(chosen.value); });
    chosen.addEventListener("change", show);
    show();
  }
  return { data, answers, records };
})();
