// The answer of a comparison for any rope, at the alphas that Python worked out: it compares ends of intervals with the rope, and
// fills in the sentences of Python's templates. `Decide.engine(data)` takes what decide.py makes of a comparison, and
// `engine.at({rope, alpha})` answers. Positive differences favour the first of a pair; models stand in the order of the ranking.
"use strict";

const Decide = (() => {
  const VERDICTS = ["", "better", "ahead", "equivalent", "undecided", "behind", "worse"];
  const MIRRORED = [0, 6, 5, 3, 4, 2, 1];
  const [NONE, BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE] = VERDICTS.keys();
  const REASONS = ["", "identical-scores", "no-spread", "missing-splits", "too-few-units", "too-few-draws", "discrete", "unsettled"];
  const STANDINGS = ["not best", "may be best", "near best", "best"];
  const [NOT_BEST, MAY_BE_BEST, NEAR_BEST, BEST] = STANDINGS.keys();
  const [MOST_NAMES, MOST_DIGITS, SAME_PREDICTIONS] = [5, 13, "same-predictions"];

  // --- numbers as Python prints them --------------------------------------------------------------------------------------
  const power = (n) => Number(`1e${n}`);
  function floorLog10(x) {
    const n = Math.round(Math.log10(x)), nearest = power(n);
    return x >= nearest || (nearest - x) / nearest < 2.5e-16 ? n : n - 1;
  }
  // With so many decimals; a tie goes to the even digit, where JavaScript rounds up.
  function fixed(x, decimals) {
    const size = Math.abs(x), text = size.toFixed(decimals), exact = size.toFixed(Math.min(100, decimals + 30));
    const end = exact.indexOf(".") + (decimals ? decimals + 1 : 0), isTie = /^\.?50*$/.test(exact.slice(end));
    return (x < 0 ? "-" : "") + (isTie && Number(exact[end - 1]) % 2 === 0 ? exact.slice(0, end) : text);
  }
  const exponential = (x, decimals) => x.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
  // At most so many significant digits, or as many as tell the number from others.
  function general(x, digits) {
    const value = digits ? Number(x.toPrecision(digits)) : x, exponent = Number(value.toExponential().split("e")[1]);
    return exponent < -4 || exponent >= (digits ?? 16) ? exponential(value) : String(value);
  }
  const decimalsFor = (size) => (!Number.isFinite(size) || size <= 0 ? 4 : Math.min(Math.max(1 - floorLog10(size), 0), 12));
  function formatScore(value, decimals, { signed = false, more = 0 } = {}) {
    if (Number.isNaN(value)) return "-";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const settled = Math.abs(value) < power(10 - decimals - more) ? Number(value.toPrecision(12)) : value;  // no rounding noise
    const text = fixed(settled, decimals + more), rounded = Number(text), size = Math.abs(rounded), plus = signed && rounded > 0 ? "+" : "";
    if (rounded !== 0 && !(size > 1e-9 && size < 1e7)) return plus + exponential(value, 3 + more);
    return rounded === 0 ? fixed(0, decimals + more) : plus + text;
  }
  // 1 above the limit, -1 below, 0 on it but for rounding.
  function side(value, limit) {
    const distance = value - limit;
    return Math.abs(distance) <= 1e-12 * Math.abs(limit) ? 0 : distance > 0 ? 1 : -1;
  }
  // Digits grow until both ends lie, as printed, on their true side of the limits.
  function formatInterval(low, high, decimals, limits) {
    if (Number.isNaN(low) || Number.isNaN(high)) return "-";
    const lies = (text, end) => limits.every((limit) => side(Number(text.replace("inf", "Infinity")), limit) === side(end, limit));
    let ends = [];
    for (let more = 0; more < MOST_DIGITS; more += 1) {
      ends = [low, high].map((end) => formatScore(end, decimals, { more }));
      if (lies(ends[0], low) && lies(ends[1], high)) break;
    }
    return ends.join(" to ");
  }
  // An upper bound, rounded up.
  function formatBound(value, decimals, limit) {
    if (!Number.isFinite(value) || value === 0) return Number.isFinite(value) ? formatScore(value, 0) : "-";
    let above = value, more = 0;
    for (; more < MOST_DIGITS; more += 1) {
      const scale = power(decimals + more);
      above = Math.ceil(value * scale * (1 - 1e-12)) / scale;
      if (side(above, limit) === side(value, limit)) break;
    }
    return formatScore(above, decimals, { more: Math.min(more, MOST_DIGITS - 1) });
  }
  const formatProbability = (p) => (p > 0 && p < 0.0005 ? "<0.001" : p >= 0.9995 && p < 1 ? ">0.999" : fixed(p, 3));
  const formatPvalue = (p) => (Number.isNaN(p) ? "-" : p < 0.001 ? "<0.001" : fixed(p, 3));
  const formatLimit = (limit) => (general(limit).length <= general(limit, 9).length ? general(limit) : general(limit, 9));
  const count = (n, noun) => (n === 1 ? `${n} ${noun}` : `${n} ${noun}s`);
  function listed(names, most = MOST_NAMES) {
    const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names;
    return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
  }
  // Fills in the words of Python's templates.
  const say = (words, values = {}) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // --- columns as decide.py packs them --------------------------------------------------------------------------------------
  const number = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value ?? NaN);
  const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer;
  // Different values of a column, and which of them each row has; null where they stand row by row.
  function parts(packed) {
    if (packed === null || typeof packed !== "object") return [[number(packed)], null];
    const values = new Float64Array(bytes(packed.values));
    return [values, packed.at && (values.length > 256 ? new Uint16Array(bytes(packed.at)) : new Uint8Array(bytes(packed.at)))];
  }
  function unpacked(packed, n) {
    const [values, at] = parts(packed);
    if (values.length === 1) return new Float64Array(n).fill(values[0]);
    return at ? Float64Array.from(at, (place) => values[place]) : values;
  }

  // --- the engine -----------------------------------------------------------------------------------------------------------
  function engine(data) {
    const n = data.names.length, rows = [...data.names.keys()], places = new Int32Array(n * n), { kept } = data;
    const hasBaseline = data.family === "baseline";
    const pairs = { first: [], second: [] }, isWhole = kept ? rows.map((row) => kept.rows.includes(row)) : [];
    for (let one = 0; one < n; one += 1) {
      for (let two = one + 1; two < n; two += 1) {
        if (kept && !isWhole[one] && !isWhole[two] && Math.max(one, two) >= kept.first) continue; // of very many models, some pairs
        const at = pairs.first.push(one);
        pairs.second.push(two);
        places[one * n + two] = at; // 0 stands for none
        places[two * n + one] = -at;
      }
    }
    const nAll = pairs.first.length;
    for (const name of ["first", "second"]) pairs[name] = Int32Array.from(pairs[name]);
    for (const [name, column] of Object.entries(data.pairs)) pairs[name] = unpacked(column, nAll);
    const others = hasBaseline ? rows.filter((row) => row !== data.baseline) : [];
    const family = hasBaseline ? { first: others, second: others.map(() => data.baseline) } : pairs;
    // A pair in the orientation asked for: its place among all pairs, and the sign that turns it.
    const oriented = (one, two) => ({ at: Math.abs(places[one * n + two]) - 1, sign: Math.sign(places[one * n + two]) });
    const isJudged = (at) => data.family === "pairs" || (hasBaseline && [pairs.first[at], pairs.second[at]].includes(data.baseline));
    const [dfs, dfAt] = parts(data.pairs.df);
    // Ends of all pairs, those of the family at its level: as they were written, or so many standard errors from the estimate.
    function endsAt(held) {
      if (held.multiplier === undefined) return [unpacked(held.low, nAll), unpacked(held.high, nAll)];
      const [ofFamily, own] = [held.multiplier, held.own_multiplier ?? held.multiplier].map((packed) => unpacked(packed, dfs.length));
      return [-1, 1].map((sign) => pairs.difference.map((difference, at) => {
        const multiplier = (isJudged(at) ? ofFamily : own)[dfAt ? dfAt[at] : 0], end = difference + sign * multiplier * pairs.standard_error[at];
        return pairs.kind[at] ? NaN : Math.abs(end) <= pairs.tolerance[at] ? 0 : end;
      }));
    }
    const known = new Map();
    function at(settings) {
      const held = data.alphas.find((each) => each.alpha === settings.alpha);
      if (held === undefined) throw new RangeError(`nothing is known for alpha ${settings.alpha}`);
      if (!known.has(held)) {
        const [low, high] = endsAt(held), bounds = held.shortfall_high === undefined ? null : unpacked(held.shortfall_high, n);
        known.set(held, { held, low, high, why: unpacked(held.why, nAll), shortfall: bounds });
      }
      return new Answer({ data, n, pairs, family, oriented, isJudged, words: data.words, ...known.get(held), ...settings });
    }
    return { pairs, family, at, has: (one, two) => places[one * n + two] !== 0 };
  }
  // Where the interval [low, high] lies, tested in this order.
  function verdictOf(low, high, rope, tolerance) {
    const outer = rope + tolerance;
    if (low > outer) return BETTER;
    if (high < -outer) return WORSE;
    if (low >= -outer && high <= outer && rope > 0) return EQUIVALENT;
    if (low > tolerance) return AHEAD;
    return high < -tolerance ? BEHIND : UNDECIDED;
  }
  // The answer for one rope and alpha. `given` is the rope as it was asked for, such as "1%"; `held` what Python says at alpha.
  class Answer {
    constructor(known) {
      Object.assign(this, { given: null }, known);
      const { data, pairs, held, rope, low, high } = this;
      Object.assign(this, { decimals: held.decimals, reference: data.baseline ?? 0 });
      this.ropeNumber = this.given === null ? general(rope, 15) : held.rope;
      this.ropeWords = this.given === null ? this.ropeNumber : `${this.ropeNumber} (${this.given.trim()})`;
      this.limits = [0, Number(this.ropeNumber), -Number(this.ropeNumber)];
      this.verdicts = Uint8Array.from(low, (end, at) => (this.isJudged(at) ? verdictOf(end, high[at], rope, pairs.tolerance[at]) : NONE));
      const limit = rope + pairs.tolerance.reduce((most, each) => Math.max(most, each), 0); // but for rounding
      this.standing = held.standing === undefined ? null : Array.from(held.standing, (code, row) =>
        (rope > 0 && Number(code) !== BEST && this.shortfall[row] <= limit ? NEAR_BEST : Number(code)));
    }

    // --- numbers
    // Everything about one pair, in the orientation asked for; outside the family its own interval and no verdict.
    pair(one, two) {
      const { at, sign } = this.oriented(one, two), { pairs } = this, se = pairs.standard_error, code = this.verdicts[at];
      const turned = sign > 0 ? [this.low[at], this.high[at]] : [-this.high[at] + 0, -this.low[at] + 0];
      const judged = this.isJudged(at), why = REASONS[this.why[at]];
      return {
        first: one, second: two, at, interval_low: turned[0], interval_high: turned[1], is_in_family: judged,
        difference: sign * pairs.difference[at] + 0, n_units: pairs.n_units[at], tolerance: pairs.tolerance[at],
        standard_error: se ? se[at] : NaN, df: pairs.df ? pairs.df[at] : NaN, resolution: se ? se[at] : (turned[1] - turned[0]) / 4,
        verdict: VERDICTS[sign > 0 ? code : MIRRORED[code]], reason: judged && code !== UNDECIDED ? "" : why,
      };
    }
    // The verdict of pair() alone.
    verdict(one, two) {
      const { at, sign } = this.oriented(one, two);
      return VERDICTS[sign > 0 ? this.verdicts[at] : MIRRORED[this.verdicts[at]]];
    }
    // Texts of one pair, by the names of their columns.
    pairTexts(one, two, decimals = this.decimals) {
      const pair = this.pair(one, two), why = pair.reason && pair.reason !== "unsettled" ? ` (${pair.reason})` : "";
      const difference = formatScore(pair.difference, decimals, { signed: true });
      return { difference, interval: this.intervalText(pair, decimals), verdict: pair.verdict + why };
    }
    // Texts of one row of the ranking that depend on the rope, by the names of its columns.
    rankingTexts(row) {
      const { interval, verdict } = row === this.reference ? {} : this.pairTexts(row, this.reference);
      if (!this.standing) return { interval, verdict };
      return { interval, verdict, shortfall_high: this.bound([row]), standing: STANDINGS[this.standing[row]] };
    }
    intervalText({ interval_low: low, interval_high: high }, decimals) {
      return formatInterval(low, high, decimals, this.limits);
    }

    // --- words on a pair
    pairSentence(one, two) {
      let pair = this.pair(one, two);
      const words = this.words.pair, { data, held } = this;
      if (!Number.isFinite(pair.interval_low) && !Number.isFinite(pair.interval_high)) {
        const level = pair.is_in_family ? held.level : held.own_level, n = pair.n_units, said = this.words.without, { unit } = data;
        const parts = { a: data.names[one], b: data.names[two], n, unit, units: count(n, unit), level };
        return say(said[pair.reason] ?? said["missing-splits"], parts);
      }
      if (pair.difference < 0) pair = this.pair(two, one);
      const decimals = decimalsFor(pair.resolution), a = data.names[pair.first], b = data.names[pair.second];
      const size = say(words[data.direction], { metric: data.metric, size: formatScore(pair.difference, decimals) });
      const interval = pair.is_in_family ? held.interval : held.own_interval;
      const parts = { a, b, size, interval, rope: this.ropeWords, ends: this.intervalText(pair, decimals) };
      parts.how = say(words.how, parts);
      if (pair.verdict === "better") return say(words[this.rope ? "better by more" : "better"], parts);
      if (pair.verdict === "ahead") return say(words.ahead, parts);
      parts.size = say(words[pair.difference > pair.tolerance ? "for" : "equal"], { a, size, metric: data.metric });
      parts.how = say(words.how, parts);
      if (pair.verdict === "equivalent") {
        const isAhead = pair.interval_low > pair.tolerance || pair.interval_high < -pair.tolerance;
        return say(words.equivalent, parts) + (isAhead ? say(words["though ahead"], parts) : "");
      }
      parts.why = say(words[pair.reason === "discrete" ? "discrete" : this.rope ? "unsettled" : "no rope"], parts);
      return say(words[pair.is_in_family ? "undecided" : "no verdict"], parts);
    }

    // --- the answer in words
    get sentence() {
      const { first, second } = this.family;
      if (first.length === 1 && this.data.family !== "best") return this.pairSentence(first[0], second[0]);
      return this.standing ? [...this.standingSentences()].join(" ") : this.againstBaseline();
    }
    bound(rows) {
      return formatBound(Math.max(...rows.map((row) => this.shortfall[row])), this.decimals, Number(this.ropeNumber));
    }
    // Which models are near the best, else by how much at most the first or the others fall short; what Python says before depends on no rope.
    * standingSentences() {
      const { n, standing, ropeWords: rope } = this, { names } = this.data, words = this.words.comparison, rows = [...names.keys()];
      const near = rows.filter((row) => standing[row] === NEAR_BEST);
      yield this.held.leading;
      if (this.held.is_all) return;
      if (near.length) {
        const which = near.length === n ? "all near" : near.length === 1 ? "one near" : "some near";
        yield say(words[which], { near: listed(near.map((row) => names[row]), MOST_NAMES - 2), bound: this.bound(near), rope });
        return;
      }
      const isOpen = standing.includes(MAY_BE_BEST), others = rows.filter((row) => standing[row] === MAY_BE_BEST || standing[row] === NOT_BEST);
      const shown = isOpen ? others.slice(0, 1) : others, without = shown.filter((row) => !Number.isFinite(this.shortfall[row]));
      if (without.length) {
        yield say(words["not known"], { names: listed(without.map((row) => names[row]), MOST_NAMES - 2) });
      } else if (shown.length) {
        if (this.rope && isOpen) yield say(words["none near"], { rope });
        yield say(words[isOpen ? "first may fall short" : shown.length === 1 ? "one falls short" : "others fall short"], { name: names[shown[0]], bound: this.bound(shown) });
      }
    }
    againstBaseline() {
      const { data, held } = this, words = this.words.comparison, groups = Object.fromEntries(VERDICTS.map((verdict) => [verdict, []]));
      data.names.forEach((name, row) => { if (row !== data.baseline) groups[this.pair(row, data.baseline).verdict].push(name); });
      const shown = {};
      let left = MOST_NAMES - 1;
      for (const verdict of VERDICTS.slice(1)) {
        const names = groups[verdict];
        shown[verdict] = left && names.length ? listed(names, names.length <= left ? left : left + 1) : count(names.length, "other model");
        left -= Math.min(names.length, left);
      }
      const verdicts = Object.entries(this.words.against).filter(([verdict]) => groups[verdict].length).map(([verdict, said]) =>
        say(words[groups[verdict].length === 1 ? "is" : "are"], { names: shown[verdict], verdict: said }));
      return say(words.against, { baseline: data.names[data.baseline], metric: data.value, mean: held.mean, verdicts: verdicts.join("; ") });
    }
    // Note on the rope and on what the intervals of the family hold together.
    get familyNote() {
      const words = this.words.comparison;
      return say(words[this.rope ? "rope" : "no rope"], { rope: this.ropeWords, metric: this.data.metric }) + this.held.family_note;
    }

    // --- requirements: outcome of each, and a sentence that begins with it; of another metric as it was asked.
    get requirements() {
      return this.data.requirements.map((each, i) => {
        if (each.line) return each;
        const [level, low, high, reason] = this.held.requirements[i], limit = each.gate === "not worse" ? -this.rope + 0 : this.rope;
        const judged = { ...each, level, reason, limit, floor: number(each.floor ?? -1), difference: number(each.difference), interval_low: number(low), interval_high: number(high) };
        judged.reason ||= each.gate !== "better" || this.rope ? (this.rope < judged.floor ? "below-noise" : "") : Math.abs(judged.difference) <= judged.floor ? "within-noise" : "";
        judged.outcome = this.outcome(judged);
        return { ...judged, line: this.judgement(judged) };
      });
    }
    outcome({ gate, reason, first, second, interval_low: low, interval_high: high }) {
      const others = gate === "near best" ? [...this.data.names.keys()].filter((row) => row !== first) : [second];
      const limit = this.rope + Math.max(...others.map((row) => this.pairs.tolerance[this.oriented(first, row).at]));
      const [met, broken] = { better: [low > limit, high <= limit], "near best": [high <= limit, low > limit] }[gate] ?? [low >= -limit, high < -limit];
      return /-noise$|^few-units$/.test(reason) ? "inconclusive" : met || reason === SAME_PREDICTIONS ? "met" : broken ? "broken" : "inconclusive";
    }
    judgement(r) {
      const { words, stated, reasons } = this.words.requirements, rope = formatLimit(this.rope), key = `${r.gate}, ${r.outcome}`;
      const hasInterval = !Number.isNaN(r.interval_low) && (r.outcome !== "inconclusive" || !r.reason || r.reason.endsWith("-noise")), { unit } = this.data;
      const why = say(r.reason === SAME_PREDICTIONS ? words["same predictions"] : reasons[r.reason] ?? words["no interval"], { units: count(r.n_units, unit), unit, level: r.level });
      const isBest = r.gate === "near best" && r.outcome === "met" && !this.rope;
      const sentence = say(words.sentence, {
        stated: say(isBest ? words["is best"] : stated[key], { a: r.a, b: r.b, by: this.rope ? say(words.by, { rope }) : "", limit: rope }),
        shown: hasInterval ? this.shownOf(r, words, key) : r.gate === "near best" && r.reason !== "few-units" ? say(words["no bound"], { why }) : why,
        noise: r.floorText ? say(words.noise, { floor: r.floorText, beside: say(words[r.reason] ?? "", { rope }) }) : "", asked: say(words[r.n_questions === 1 ? "one" : "several"], { n: r.n_questions }),
      });
      return say(words.judgement, { outcome: r.outcome, sentence, note: this.besideThePair(r, words) });
    }
    // The difference, or by how much a model falls short, and where its interval lies.
    shownOf(r, words, key) {
      const isNear = r.gate === "near best", { metric } = this.data, limit = r.limit + 0, { interval_low: low, interval_high: high } = r;
      const widths = [low, high].filter(Number.isFinite).map((end) => Math.abs(end - r.difference));
      const decimals = decimalsFor(Math.max(...widths) / 2);
      const where = say(this.words.requirements.where[key] ?? words["both sides"], { limit: formatLimit(limit) });
      const interval = say(words[(r.reason.endsWith("-noise") ? "open " : "") + (isNear ? "shortfall" : "interval")], { level: r.level, ends: formatInterval(low, high, decimals, [0, limit]), where });
      const difference = formatScore(r.difference, decimals, { signed: !isNear });
      const which = isNear ? (r.difference > 0 ? "short" : "the best") : "difference";
      return say(words[which], { metric, difference, interval, a: r.a });
    }
    // Words where the verdict on the pair reads otherwise.
    besideThePair(r, words) {
      if (r.gate === "near best") return "";
      const pair = this.pair(r.first, r.second), agrees = { better: ["better"], "not worse": ["better", "ahead", "equivalent"] }[r.gate];
      const isMet = r.outcome === "met", says = agrees.includes(pair.verdict);
      if (pair.verdict === "" || r.reason || isMet === says || (!isMet && !says)) return "";
      const { limit } = r, isShown = r.gate === "better" ? pair.interval_low > limit : pair.interval_low >= limit;
      if (isShown && isMet) return say(words["asks for more"], { verdict: pair.verdict, limit: formatLimit(limit) });
      const n = this.data.kept && this.data.family === "pairs" ? this.data.kept.n : this.family.first.length, here = count(r.n_questions, "question"), there = count(n, "pair");
      return say(words["other family"], { verdict: pair.verdict, there, here, are: n === 1 ? "is" : "are" });
    }
    // Numbers of requirements met, broken and inconclusive.
    get requirementsHeadline() {
      const outcomes = this.requirements.map((each) => each.outcome), n = outcomes.length;
      if (new Set(outcomes).size === 1) return `${n === 1 ? "Requirement" : `All ${n} requirements`} ${outcomes[0]}`;
      const shares = ["met", "broken", "inconclusive"].map((each) => [outcomes.filter((outcome) => outcome === each).length, each]);
      return `Of ${n} requirements ${shares.filter(([k]) => k).map(([k, each]) => `${k} ${each}`).join(", ")}`;
    }
  }
  return { engine, unpacked, STANDINGS, decimalsFor, formatScore, formatProbability, formatPvalue, general, fixed };
})();
