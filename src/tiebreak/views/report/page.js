"use strict";
/* Opens pairs, switches between answers, and writes the data out; the verdicts themselves are redone in decide.js. */
const Page = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const SYMBOLS = {better: "▲", ahead: "△", equivalent: "■", undecided: "○", behind: "▽", worse: "▼"};
  const UNSEEN = /[\x00-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb]/gu;

  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawn = (tag, attributes, ...children) => {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const readable = (text) => text.replace(UNSEEN, (c) => {
    const code = c.codePointAt(0), short = {9: "\\t", 10: "\\n", 13: "\\r"}[code];
    return short || (code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : "\\u" + code.toString(16).padStart(4, "0"));
  });
  /* One value of a column of the data: the same everywhere, or one for each row. */
  const at = (column, row) => (Array.isArray(column) ? column[row] : column);
  const records = (columns, names) => {
    const n = Math.max(...Object.values(columns).map((column) => (Array.isArray(column) ? column.length : 0)));
    const named = ["first", "second", "model"];
    return Array.from({length: n}, (_, row) => Object.fromEntries(Object.entries(columns).map(
      ([name, column]) => [name, named.includes(name) ? names[at(column, row)] : at(column, row)])));
  };

  /* Scores on each item, or on each split. */
  const unitsOf = ({units, models, view: {items, scores}}) => (units !== "items" ? units ?? scores[0] :
    {names: items.items, score: models.map((name) => items.score[items.models.indexOf(name)][0])});

  class Answer {
    constructor(section, held) {
      Object.assign(this, {section, view: held.view, units: unitsOf(held), names: held.models});
      this.shown = [...section.querySelectorAll("[data-is=ranking] tbody th")].map((each) => each.textContent);
      this.sign = held.view.metric.higher_is_better ? 1 : -1;
      this.engine = section.controls.engine;
    }
    find(name) { return this.section.querySelector(`[data-is="${name}"]`); }
    /* What is decided for the rope and alpha that are set now. */
    get decided() { return this.section.controls.answer; }
    /* Columns of the pairs; where they are too many to be written, those that were asked for are worked out. */
    get pairs() {
      if (this.view.pairs.first) return this.view.pairs;
      const {pairs} = this.engine;
      const held = Object.fromEntries(["first", "second", "n_units", "difference", "standard_error", "df"].map((name) => [name, Array.from(pairs[name])]));
      return {...held, ...this.section.controls.columns()};
    }
  }

  const {decimalsFor, formatScore, formatProbability, formatPvalue, levelWords} = typeof Decide === "undefined" ? {} : Decide; // no comparison

  /* --- one pair --- */
  const scaleOf = (values) => {
    const known = values.filter(Number.isFinite);
    let low = Math.min(...known), high = Math.max(...known);
    const margin = 0.04 * (high - low) || Math.abs(high) * 0.1 || 1;
    return [low - margin, high + margin];
  };
  const place = ([low, high], value) => `${(100 * Math.min(Math.max((value - low) / (high - low), 0), 1)).toFixed(2)}%`;
  const vertical = (scale, value, kind, bottom) => drawn("line", {class: kind, x1: place(scale, value), x2: place(scale, value), y1: 0, y2: bottom});
  const band = (scale, rope, height) => {
    const [from, to] = [place(scale, -rope), place(scale, rope)];
    return drawn("rect", {class: "rope", x: from, width: `${parseFloat(to) - parseFloat(from)}%`, height});
  };
  const ticks = (scale, top) => {
    const raw = (scale[1] - scale[0]) / 6, size = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= raw * 0.999);
    const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), marks = [];
    for (let n = Math.ceil(scale[0] / step); n * step <= scale[1]; n++) {
      const x = place(scale, n * step), text = drawn("text", {x, y: top + 18});
      text.textContent = formatScore(n * step, decimals).replace("-", "−");
      marks.push(drawn("line", {x1: x, x2: x, y1: top, y2: top + 5}), text);
    }
    return marks;
  };
  const intervalRow = (scale, low, middle, high, rope, verdict) => {
    const row = drawn("svg", {class: `row ${verdict}`, width: "100%", height: 22, "aria-hidden": "true"});
    if (rope) row.append(band(scale, rope, "100%"));
    row.append(vertical(scale, 0, "zero", "100%"));
    if (!Number.isNaN(low) && !Number.isNaN(high)) row.append(drawn("line", {class: "range", x1: place(scale, low), x2: place(scale, high), y1: 11, y2: 11}));
    row.append(drawn("circle", {cx: place(scale, middle), cy: 11, r: 4.5}));
    return row;
  };

  const differences = (answer, first, second) => {
    const score = answer.units?.score ?? [];
    if (!score.length) return [];
    return score[first].map((value, k) => (value === null || score[second][k] === null ? null : value - score[second][k]));
  };

  function pairFigure(answer, first, second, pair) {
    const {middle, low, high, standard_error: error, df} = pair, {rope} = answer.decided;
    let each = differences(answer, first, second).filter((value) => value !== null);
    if (each.some((value) => Math.abs(value - middle) > 4 * (high - low))) each = []; // right or wrong answers: no scale has room for both
    const hasCurve = error > 0 && df > 0, height = hasCurve ? 150 : 32;
    const reach = hasCurve ? 4 * error : 0;
    const scale = scaleOf([middle - reach, middle + reach, low, high, 0, ...(rope < 6 * Math.max(Math.abs(middle) + reach, Math.abs(low), Math.abs(high)) ? [-rope, rope] : []), ...each]);
    const title = `Difference of ${answer.shown[first]} and ${answer.shown[second]}`;
    const about = `Estimate ${pair.text.difference}, interval ${pair.text.interval}${rope ? `, rope ±${rope}` : ""}.`;
    const id = `pair-${answer.section.dataset.answer}`;
    const head = [drawn("title", {id: `${id}-t`}), drawn("desc", {id: `${id}-d`})];
    head[0].textContent = title;
    head[1].textContent = about;
    const figure = drawn("svg", {class: `row figure ${pair.verdict}`, width: "100%", height: height + 64, role: "img", "aria-labelledby": `${id}-t ${id}-d`}, ...head);
    if (rope) figure.append(band(scale, rope, height + 34));
    if (hasCurve) {
      const points = Array.from({length: 161}, (_, k) => {
        const x = scale[0] + (k / 160) * (scale[1] - scale[0]), z = (x - middle) / error;
        return `${(k * 6.25).toFixed(1)} ${(height - 6 - (height - 20) * (1 + (z * z) / df) ** (-(df + 1) / 2)).toFixed(1)}`;
      });
      const curve = drawn("svg", {viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", height, width: "100%"});
      curve.append(drawn("path", {class: "density", d: `M0 ${height - 6}L${points.join("L")}L1000 ${height - 6}Z`}));
      figure.append(curve);
    }
    figure.append(vertical(scale, 0, "zero", height + 34));
    const bar = height - 6;
    if (!Number.isNaN(low)) figure.append(drawn("line", {class: "range", x1: place(scale, low), x2: place(scale, high), y1: bar, y2: bar}));
    figure.append(drawn("circle", {cx: place(scale, middle), cy: bar, r: 5.5}));
    const dots = drawn("svg", {viewBox: "0 0 1000 24", preserveAspectRatio: "none", y: height + 6, height: 24, width: "100%"});
    dots.append(drawn("path", {class: "dots", d: each.map((value, k) =>
      `M${(1000 * (value - scale[0]) / (scale[1] - scale[0])).toFixed(0)} ${(12 + 16 * ((k * 0.618034) % 1 - 0.5)).toFixed(0)}z`).join("")}));
    figure.append(dots, ...ticks(scale, height + 36));
    return figure;
  }

  const table = (caption, headers, rows) => {
    const made = make("table"), head = make("tr"), body = make("tbody"), top = make("thead");
    made.append(make("caption", caption), top, body);
    top.append(head);
    headers.forEach((header, k) => head.append(make("th", header, {scope: "col", ...(k ? {class: "r"} : {})})));
    for (const row of rows) {
      const line = make("tr");
      row.forEach((cell, k) => line.append(k ? make("td", cell, {class: "r"}) : make("th", cell, {scope: "row"})));
      body.append(line);
    }
    return made;
  };

  function pairOf(answer, first, second) {
    const {decided, engine, sign} = answer, pair = decided.pair(first, second);
    const [low, high] = [sign * pair.interval_low, sign * pair.interval_high].sort((a, b) => a - b), middle = sign * pair.difference;
    const decimals = decimalsFor(pair.resolution), {at} = engine.oriented(first, second), df = engine.pairs.df;
    const text = {difference: formatScore(middle, decimals, {signed: true}), interval: decided.intervalText(pair.interval_low, pair.interval_high, decimals)};
    return {...pair, low, high, middle, text, decimals, df: df ? df[at] : NaN, row: engine.familyRow.get(first * engine.n + second) ?? engine.familyRow.get(second * engine.n + first)};
  }

  function openPair(answer, first, second) {
    const panel = answer.section.querySelector("[data-part=pair]");
    panel.hidden = false;
    Object.assign(panel.dataset, {first, second});
    for (const [name, model] of [["first", first], ["second", second]]) panel.querySelector(`[data-pick=${name}]`).value = model;
    for (const each of answer.section.querySelectorAll("[data-is=matrix] button")) {
      each.setAttribute("aria-pressed", each.dataset.pair === `${first} ${second}`);
    }
    const title = answer.find("pair-title");
    title.replaceChildren(`${answer.shown[first]} against ${answer.shown[second]}`);
    for (const name of ["pair-sentence", "pair-figure", "pair-numbers", "pair-scores"]) answer.find(name)?.replaceChildren();
    if (first === second) {
      answer.find("pair-sentence").textContent = "Choose two different models.";
      return;
    }
    const pair = pairOf(answer, first, second), reason = pair.reason && pair.reason !== "unsettled" ? ` (${pair.reason})` : "";
    if (pair.verdict) title.append(": ", make("span", `${SYMBOLS[pair.verdict]} ${pair.verdict}${reason}`, {class: `word ${pair.verdict}`}));
    answer.find("pair-figure").append(pairFigure(answer, first, second, pair));
    answer.find("pair-numbers").append(pairNumbers(answer, first, second, pair));
    if (answer.find("pair-scores")) pairScores(answer, first, second, pair.decimals);
    answer.section.dispatchEvent(new CustomEvent("opened", {detail: {answer: Number(answer.section.dataset.answer), first, second}, bubbles: true}));
  }

  function pairNumbers(answer, first, second, pair) {
    const level = pair.level > 0 ? `level ${levelWords(pair.level)}, ` : "its own, ";
    const rows = [["Difference", pair.text.difference], ["Interval that decides", `${pair.text.interval === "-" ? "none" : pair.text.interval} (${level}n = ${pair.n_units})`]];
    const adjusted = answer.view.pairs.adjusted_pvalue;
    if (adjusted !== undefined && pair.row !== undefined) rows.push(["p-value of no difference, adjusted", formatPvalue(at(adjusted, pair.row) ?? NaN)]);
    if (pair.standard_error > 0) rows.push(["Standard error", formatScore(pair.standard_error, pair.decimals + 1)]);
    if (pair.df > 0) rows.push(["Degrees of freedom", String(pair.df)]);
    const regions = ["p_better", "p_equivalent", "p_worse"].map((name) => pair[name]);
    if (regions.every(Number.isFinite)) rows.push(["P(better), P(equivalent), P(worse) of this pair by itself", regions.map(formatProbability).join(", ")]);
    const better = answer.sign > 0 ? "positive favours" : "lower is better, so negative favours";
    return table(`${readable(answer.view.metric.name)} of ${answer.shown[first]} minus ${answer.shown[second]}; ${better} the first`, ["quantity", "value"], rows);
  }

  function pairScores(answer, first, second, decimals) {
    const held = answer.units, score = (value) => formatScore(value ?? NaN, decimals), signed = {signed: true};
    answer.find("pair-scores").append(table("", [held.names ? "name" : "repeat, fold", answer.shown[first], answer.shown[second], "difference"],
      differences(answer, first, second).map((value, k) => [held.names ? readable(held.names[k]) : `${held.repeat[k]}, ${held.fold[k]}`,
        score(held.score[first][k]), score(held.score[second][k]), formatScore(value ?? NaN, decimals, signed)])));
  }

  /* --- what can be clicked --- */
  function readyMatrix(answer) {
    const matrix = answer.find("matrix");
    if (!matrix) return;
    const columns = matrix.dataset.columns.split(" ").map(Number), buttons = [];
    [...matrix.tBodies[0].rows].forEach((line, r) => {
      buttons.push([]);
      columns.forEach((c, k) => {
        const cell = line.cells[k + 1];
        if (r === c || !cell.className) return;
        const button = make("button", cell.textContent, {type: "button", "data-pair": `${r} ${c}`, tabindex: -1, "aria-pressed": false});
        button.setAttribute("aria-label", `${answer.shown[r]} against ${answer.shown[c]}: ${cell.className}`);
        button.addEventListener("click", () => { openPair(answer, r, c); answer.find("pair-title").focus({preventScroll: true}); answer.find("pair-title").scrollIntoView({block: "nearest"}); });
        cell.replaceChildren(button);
        buttons[r][k] = button;
      });
    });
    const all = buttons.flat().filter(Boolean);
    if (all.length) all[0].tabIndex = 0;
    matrix.addEventListener("keydown", (event) => {
      const step = {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]}[event.key];
      if (!step || event.target.tagName !== "BUTTON") return;
      event.preventDefault();
      let [r, k] = [event.target.closest("tr").sectionRowIndex + step[0], event.target.parentNode.cellIndex - 1 + step[1]];
      while (buttons[r] && k >= 0 && k < columns.length && !buttons[r][k]) { r += step[0]; k += step[1]; }
      const next = buttons[r]?.[k];
      if (!next) return;
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }

  function readyPicks(answer) {
    const picks = ["first", "second"].map((name) => answer.section.querySelector(`[data-pick=${name}]`));
    for (const pick of picks) answer.shown.forEach((name, row) => pick.append(make("option", name, {value: row})));
    for (const pick of picks) pick.addEventListener("change", () => openPair(answer, ...picks.map((each) => Number(each.value))));
  }

  /* Labels of the matrix, drawings of the ranking and the open pair, after rope or alpha have changed. */
  function redraw(answer) {
    const {rope, reference} = answer.decided;
    for (const button of answer.section.querySelectorAll("[data-is=matrix] button")) {
      const [r, c] = button.dataset.pair.split(" ").map(Number), verdict = answer.decided.verdictOf(r, c);
      if (button.parentNode.className === verdict) continue;
      button.textContent = SYMBOLS[verdict] ?? "";
      button.parentNode.className = verdict;
      button.setAttribute("aria-label", `${answer.shown[r]} against ${answer.shown[c]}: ${verdict}`);
    }
    const rows = answer.names.map((_, model) => (model === reference ? null : pairOf(answer, model, reference)));
    const seen = rows.filter(Boolean), most = Math.max(...seen.map((each) => Math.max(Math.abs(each.low), Math.abs(each.high), Math.abs(each.middle)) || 0));
    const scale = scaleOf([0, ...seen.flatMap((each) => [each.low, each.middle, each.high]), ...(rope < 4 * most ? [-rope, rope] : [])]);
    for (const line of answer.find("ranking").tBodies[0].rows) {
      const pair = rows[line.dataset.model], cell = line.querySelector("[data-col=drawn]");
      cell.replaceChildren(pair ? intervalRow(scale, pair.low, pair.middle, pair.high, rope, pair.verdict) : intervalRow(scale, NaN, 0, NaN, rope, ""));
      for (const word of line.querySelectorAll(".word")) word.className = `word ${word.textContent.split(" (")[0].replaceAll(" ", "-")}`;
    }
    answer.find("axis").replaceChildren(drawn("svg", {class: "axis", width: "100%", height: 20, "aria-hidden": "true"}, ...ticks(scale, 0)));
    const panel = answer.section.querySelector("[data-part=pair]");
    if (!panel.hidden) openPair(answer, Number(panel.dataset.first), Number(panel.dataset.second));
  }

  /* --- data to download --- */
  const view = (answer) => ({...answer.view, ranking: records(answer.view.ranking, answer.names), pairs: records(answer.pairs, answer.names)});
  const cell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value !== "string") return value === true ? "True" : value === false ? "False" : String(value);
    const text = readable(value), safe = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const csv = (headers, rows) => [headers, ...rows].map((row) => row.map(cell).join(",")).join("\n") + "\n";
  function scoreRows(answer) {
    if (!answer.view.scores.length) {
      const {names, score} = answer.units;
      return csv(["item", "model", "score"], answer.names.flatMap((model, m) => score[m].map((value, k) => [names[k], model, value])));
    }
    const headers = ["dataset", "model", "repeat", "fold", "n_train", "n_test", "score"], rows = [];
    for (const held of answer.view.scores) held.models.forEach((model, m) => held.score[m].forEach((score, k) =>
      rows.push([held.dataset, model, held.repeat[k], held.fold[k], held.n_train?.[k], held.n_test?.[k], score])));
    return csv(headers, rows);
  }
  const WRITERS = {
    json: (answer) => ["answer.json", "application/json", JSON.stringify(view(answer), null, 1) + "\n"],
    pairs: (answer) => {
      const rows = view(answer).pairs;
      return ["pairs.csv", "text/csv", csv(Object.keys(rows[0]), rows.map(Object.values))];
    },
    result: () => ["result.json", "application/json", JSON.stringify(data.result ?? data.results, null, 1) + "\n"],
    scores: (answer) => ["scores.csv", "text/csv", scoreRows(answer)],
  };
  function readyDownloads(line, answer) {
    line.hidden = false;
    if (answer && !answer.units) line.querySelector("[data-download=scores]").remove();
    for (const link of line.querySelectorAll("a")) {
      link.href = "#";
      link.addEventListener("click", () => {
        const [name, type, text] = WRITERS[link.dataset.download](answer);
        link.download = name;
        link.href = URL.createObjectURL(new Blob([text], {type}));
      });
    }
  }

  function readyRows(answer) {
    const button = answer.section.querySelector("[data-control=more]");
    if (!button) return;
    const n = answer.names.length, toggle = () => {
      const isShort = answer.section.classList.toggle("short");
      button.setAttribute("aria-expanded", !isShort);
      button.textContent = isShort ? `Show all ${n} models` : "Show the first 25 only";
    };
    button.addEventListener("click", toggle);
    toggle();
  }

  const answers = [...document.querySelectorAll("[data-answer]")].map((section) => new Answer(section, data.answers[section.dataset.answer]));
  for (const answer of answers) {
    readyMatrix(answer);
    readyPicks(answer);
    readyDownloads(answer.section.querySelector("[data-part=downloads]"), answer);
    readyRows(answer);
    answer.section.addEventListener("decided", () => redraw(answer));
    openPair(answer, answer.engine.family.first[0], answer.engine.family.second[0]);
  }
  const line = document.querySelector("footer [data-part=downloads]");
  if (line) readyDownloads(line);
  const printed = document.querySelectorAll("details[data-print]"); // the others are left out of a print while they are shut
  addEventListener("beforeprint", () => printed.forEach((each) => { each.open = true; }));
  const chosen = document.getElementById("switch");
  if (chosen) {
    const show = () => answers.forEach((answer, k) => { answer.section.hidden = k !== Number(chosen.value); });
    chosen.addEventListener("change", show);
    show();
  }
  return {data, answers, openPair, redraw, records};
})();
