// The answer of a comparison for any rope and alpha, equal to Python's: where intervals lie, and the same words about them.
//
// `Decide.engine(data)` takes what decide.py makes of a comparison, and `engine.at({rope, alpha})` answers. Pairs of the family
// stand in the order of the table of pairs, models in that of the ranking; positive differences favour the first of a pair.
//
// Lines from "// only NEED" to "// end" are left out of pages that do not need them: see `needs` in document.py.
"use strict";

const Decide = (() => {
  const VERDICTS = ["", "better", "ahead", "equivalent", "undecided", "behind", "worse"];
  const MIRRORED = [0, 6, 5, 3, 4, 2, 1];
  const [NONE, BETTER, AHEAD, EQUIVALENT, UNDECIDED, BEHIND, WORSE] = VERDICTS.keys();
  const REASONS = ["", "identical-scores", "no-spread", "missing-splits", "too-few-units", "too-few-draws", "discrete", "unsettled"];
  const [TOO_FEW_UNITS, DISCRETE, UNSETTLED] = [4, 6, 7];
  const STANDINGS = ["not best", "may be best", "near best", "best"];
  const [NOT_BEST, MAY_BE_BEST, NEAR_BEST, BEST] = STANDINGS.keys();
  const MOST_LETTERED = 40;
  const MOST_NAMES = 5;
  const MOST_DIGITS = 13;
  const SIMULTANEOUS = ["bonferroni", "sidak"];

  // --- Student's t ----------------------------------------------------------------------------------------------------------

  // Gamma(a + 1/2) / Gamma(a), by its series for large a.
  function gammaRatio(a) {
    let factor = 1;
    for (; a < 40; a += 1) factor *= a / (a + 0.5);
    const series = [1, -1 / 8, 1 / 128, 5 / 1024, -21 / 32768, -399 / 262144, 869 / 4194304];
    return factor * Math.sqrt(a) * series.reduceRight((sum, term) => sum / a + term, 0);
  }

  // The continued fraction of the incomplete beta function (modified Lentz).
  function betaFraction(x, a, b) {
    const tiny = 1e-300;
    const guard = (value) => (Math.abs(value) < tiny ? tiny : value);
    let c = 1, d = 1 / guard(1 - ((a + b) * x) / (a + 1)), h = d;
    for (let m = 1; m < 100000; m += 1) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / guard(1 + even * d);
      c = guard(1 + even / c);
      h *= d * c;
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / guard(1 + odd * d);
      c = guard(1 + odd / c);
      h *= d * c;
      if (Math.abs(d * c - 1) < 1e-15) break;
    }
    return h;
  }

  // Logarithm of P(T > t) for t >= 0: half the incomplete beta function at df / (df + t^2).
  function logTail(t, df) {
    const a = df / 2, y = (t / df) * t, x = 1 / (1 + y);
    const ends = Math.log(gammaRatio(a) / Math.sqrt(Math.PI)) - a * Math.log1p(y) + Math.log(Math.sqrt(y / (1 + y)));
    if (y === Infinity) return -Infinity;
    if (x < (a + 1) / (a + 2.5)) return ends + Math.log(betaFraction(x, a, 0.5) / (2 * a));
    return Math.log(0.5 - Math.exp(ends) * betaFraction(y / (1 + y), 0.5, a));
  }

  // P(T > t).
  function tail(t, df) {
    return t >= 0 ? Math.exp(logTail(t, df)) : 1 - Math.exp(logTail(-t, df));
  }

  function logDensity(t, df) {
    return Math.log(gammaRatio(df / 2) / Math.sqrt(df * Math.PI)) - ((df + 1) / 2) * Math.log1p((t / df) * t);
  }

  // The t whose upper tail is p, at most 1/2. With t = sqrt(df) sinh(u) the logarithm of the tail is concave in u, so that
  // Newton's method finds it from 0.
  function quantile(p, df) {
    const root = Math.sqrt(df);
    let u = 0;
    for (let step = 0; step < 200; step += 1) {
      const t = root * Math.sinh(u), log = logTail(t, df);
      const move = ((log - Math.log(p)) * Math.exp(log - logDensity(t, df))) / (root * Math.cosh(u));
      u = Math.max(0, u + move);
      if (!(Math.abs(move) > 1e-15 * u)) break;
    }
    return root * Math.sinh(u);
  }

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

  function exponential(x, decimals) {
    return x.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
  }

  // At most so many significant digits, or as many as tell the number from others.
  function general(x, digits) {
    if (x === 0) return "0";
    const [mantissa, power10] = (digits ? x.toExponential(digits - 1) : x.toExponential()).split("e");
    const exponent = Number(power10), figures = mantissa.replace(/^-|\./g, "").replace(/0+$/, "");
    const sign = x < 0 ? "-" : "", most = digits ?? 16;
    if (exponent < -4 || exponent >= most) {
      const rest = figures.length > 1 ? `.${figures.slice(1)}` : "";
      return `${sign}${figures[0]}${rest}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    }
    if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${figures}`;
    const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, "0"), rest = figures.slice(exponent + 1);
    return `${sign}${whole}${rest ? `.${rest}` : ""}`;
  }

  function decimalsFor(size) {
    return !Number.isFinite(size) || size <= 0 ? 4 : Math.min(Math.max(1 - floorLog10(size), 0), 12);
  }

  function formatScore(value, decimals, { signed = false, more = 0 } = {}) {
    if (Number.isNaN(value)) return "-";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    const text = fixed(value, decimals + more), rounded = Number(text), size = Math.abs(rounded);
    const plus = signed && rounded > 0 ? "+" : "";
    if (rounded !== 0 && !(size > 1e-9 && size < 1e7)) return plus + exponential(value, 3 + more);
    return rounded === 0 ? fixed(0, decimals + more) : plus + text;
  }

  function side(value, limit) {
    const distance = value - limit;
    return Math.abs(distance) <= 1e-12 * Math.abs(limit) ? 0 : distance > 0 ? 1 : -1;
  }

  function formatInterval(low, high, decimals, limits) {
    if (Number.isNaN(low) || Number.isNaN(high)) return "-";
    const toNumber = (text) => Number(text.replace("inf", "Infinity"));
    let ends = [];
    for (let more = 0; more < MOST_DIGITS; more += 1) {
      ends = [low, high].map((end) => formatScore(end, decimals, { more }));
      const lies = (text, end) => limits.every((limit) => side(toNumber(text), limit) === side(end, limit));
      if (lies(ends[0], low) && lies(ends[1], high)) break;
    }
    return ends.join(" to ");
  }

  function formatBound(value, decimals, limits) {
    if (!Number.isFinite(value) || value === 0) return Number.isNaN(value) ? "-" : formatScore(value, 0);
    let above = value, more = 0;
    for (; more < MOST_DIGITS; more += 1) {
      const scale = power(decimals + more);
      above = Math.ceil(value * scale * (1 - 1e-12)) / scale;
      if (limits.every((limit) => side(above, limit) === side(value, limit))) break;
    }
    return formatScore(above, decimals, { more: Math.min(more, MOST_DIGITS - 1) });
  }

  const formatPercent = (share) => `${general(100 * share, 6)}%`;

  function formatProbability(p) {
    if (Number.isNaN(p)) return "-";
    if (p > 0 && p < 0.0005) return "<0.001";
    return p >= 0.9995 && p < 1 ? ">0.999" : fixed(p, 3);
  }

  const formatPvalue = (p) => (Number.isNaN(p) ? "-" : p < 0.001 ? "<0.001" : fixed(p, 3));

  function formatLimit(limit) {
    const whole = Object.is(limit, 0) || Object.is(limit, -0) ? "0" : general(limit), short = general(limit, 9);
    return whole.length <= short.length ? whole : short;
  }

  function levelWords(level) {
    const digits = fixed(100 * (1 - level), Math.max(0, -floorLog10(level) - 1));
    return `${digits.replace(/\.0$/, "")}%`;
  }

  const count = (n, noun) => (n === 1 ? `${n} ${noun}` : `${n} ${noun}s`);

  function listed(names, most = MOST_NAMES) {
    const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names;
    return shown.length === 1 ? shown[0] : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
  }

  // Fills in the words of Python's tables.
  const say = (words, values = {}) => words.replace(/\{(\w+)\}/g, (_, name) => values[name]);

  // --- the level of a family ------------------------------------------------------------------------------------------------

  // The level at which all intervals of the family are shown, as a function of alpha, from two-sided p-values.
  function levelOf(correction, m, pvalues, sets) {
    if (m === 0 || correction === "none") return (alpha) => alpha;
    if (correction === "bonferroni") return (alpha) => alpha / m;
    if (correction === "sidak") return (alpha) => -Math.expm1(Math.log1p(-alpha) / m);
    // only corrections
    const p = Float64Array.from(pvalues(), (value) => (Number.isNaN(value) ? 1 : value)).sort();
    if (correction === "hommel") {
      const simes = simesOfLargest(p);
      return (alpha) => alpha / Math.max(simes.findLastIndex((value) => value > alpha) + 1, 1);
    }
    const left = (i) => m - i, harmonic = p.reduce((sum, _, i) => sum + 1 / (i + 1), 0);
    const together = (i) => sets.findLast((size) => size <= left(i));
    const factor = {
      holm: left, hochberg: left, shaffer: together, bh: (i) => m / (i + 1), by: (i) => (m / (i + 1)) * harmonic,
    }[correction];
    const adjusted = p.map((value, i) => Math.min(value * factor(i), 1));
    if (correction === "holm" || correction === "shaffer") {
      for (let i = 1; i < m; i += 1) adjusted[i] = Math.max(adjusted[i], adjusted[i - 1]);
    } else {
      for (let i = m - 2; i >= 0; i -= 1) adjusted[i] = Math.min(adjusted[i], adjusted[i + 1]);
    }
    return (alpha) => {
      const rejected = adjusted.filter((value) => value <= alpha).length;
      if (correction === "bh" || correction === "by") {
        return (Math.max(rejected, 1) * alpha) / m / (correction === "by" ? harmonic : 1);
      }
      return rejected < m ? alpha / factor(rejected) : alpha;
    };
    // end
  }

  // only corrections
  // Simes p-value of the i largest of the sorted p, for i = 1..m.
  function simesOfLargest(p) {
    const m = p.length;
    return Float64Array.from(p, (_, at) => {
      let smallest = Infinity;
      for (let k = 1; k <= at + 1; k += 1) smallest = Math.min(smallest, p[m - at - 2 + k] / k);
      return (at + 1) * smallest;
    });
  }
  // end

  // --- models ---------------------------------------------------------------------------------------------------------------

  // Models of strongly connected components of "shown above" into which no arrow comes from outside.
  function sources(arrows, n) {
    const beats = Array.from({ length: n }, () => []);
    for (const [winner, loser] of arrows) beats[winner].push(loser);
    const reach = beats.map((_, start) => {
      const seen = new Uint8Array(n), ahead = [start];
      while (ahead.length) for (const next of beats[ahead.pop()]) if (!seen[next]) { seen[next] = 1; ahead.push(next); }
      return seen;
    });
    return beats.map((_, model) => reach.every((seen, other) => !seen[model] || reach[model][other] || other === model));
  }

  // Compact letter display; apart(i, j) says which models are told apart.
  function letters(n, apart) {
    const together = Array.from({ length: n }, () => new Uint8Array(n)), groups = [];
    for (let one = 0; one < n; one += 1) {
      for (let other = one; other < n; other += 1) {
        if (apart(one, other) || together[one][other]) continue;
        const group = other > one ? [one, other] : [one];
        for (let model = 0; model < n; model += 1) {
          if (!group.includes(model) && !group.some((member) => apart(model, member))) group.push(model);
        }
        groups.push(group.sort((a, b) => a - b));
        for (const a of group) for (const b of group) together[a][b] = 1;
      }
    }
    const inOrder = swept(groups, n).sort((a, b) => a[a.findIndex((x, i) => x !== b[i])] - b[a.findIndex((x, i) => x !== b[i])]);
    const sign = (i) => (i < 52 ? "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[i] : `(${i + 1})`);
    return Array.from({ length: n }, (_, model) => inOrder.map((group, i) => (group.includes(model) ? sign(i) : "")).join(""));
  }

  // Groups without those all of whose pairs stand together in others.
  function swept(groups, n) {
    const counts = new Uint16Array(n * n);
    const pairs = groups.map((group) => group.flatMap((one) => group.filter((other) => one <= other).map((other) => one * n + other)));
    pairs.flat().forEach((pair) => { counts[pair] += 1; });
    return groups.filter((_, i) => {
      if (!pairs[i].every((pair) => counts[pair] > 1)) return true;
      pairs[i].forEach((pair) => { counts[pair] -= 1; });
      return false;
    });
  }

  // --- the engine -----------------------------------------------------------------------------------------------------------

  const column = (values, n) => (Array.isArray(values) ? values : new Array(n).fill(values));
  const number = (value) => (value === null || value === undefined ? NaN : value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
  const numbers = (values, n) => Float64Array.from(column(values, n), number);

  // All pairs with their signs, whichever way round they are asked for, and the family among them.
  function pairsOf(data) {
    const n = data.names.length, nPairs = (n * (n - 1)) / 2, given = data.pairs;
    const order = data.baseline === undefined && data.order ? data.order : [...data.names.keys()];
    const first = new Int32Array(nPairs), second = new Int32Array(nPairs), place = new Int32Array(n * n);
    for (let i = 0, at = 0; i < n; i += 1) {
      for (let j = i + 1; j < n; j += 1, at += 1) {
        [first[at], second[at]] = [order[i], order[j]];
        place[order[i] * n + order[j]] = at + 1; // 0 stands for none
        place[order[j] * n + order[i]] = -at - 1;
      }
    }
    const columns = Object.fromEntries(["difference", "standard_error", "df", "n_units", "kind", "tolerance"].map(
      (name) => [name, given[name] === undefined ? null : numbers(given[name], nPairs)],
    ));
    return { first, second, place, ...columns };
  }

  function engine(data) {
    const n = data.names.length, pairs = pairsOf(data);
    const isStudent = data.levels === undefined;
    const multipliers = new Map();
    const multiplier = (p, df) => {
      const key = `${p} ${df}`;
      if (!multipliers.has(key)) multipliers.set(key, quantile(p, df));
      return multipliers.get(key);
    };
    const others = [...data.names.keys()].filter((row) => row !== data.baseline);
    const family = data.baseline === undefined ? { first: pairs.first, second: pairs.second } : {
      first: Int32Array.from(data.order ?? others), second: new Int32Array(n - 1).fill(data.baseline),
    };
    const self = { data, n, pairs, isStudent, family, multiplier, nPairs: family.first.length };

    // A pair in the orientation asked for: its place among all pairs, and the sign that turns it.
    self.oriented = (one, two) => {
      const at = pairs.place[one * n + two];
      return { at: Math.abs(at) - 1, sign: Math.sign(at) };
    };
    self.familyRow = new Map(Array.from(family.first, (one, row) => [one * n + family.second[row], row]));
    // Two-sided p of no difference.
    self.pvalue = (at) => {
      if (pairs.kind[at] !== 0) return pairs.kind[at] === 1 ? 1 : NaN;
      return Math.min(1, 2 * tail(Math.abs(pairs.difference[at] / pairs.standard_error[at]), Math.max(pairs.df[at], 1)));
    };
    const familyPlaces = Int32Array.from(family.first, (one, row) => self.oriented(one, family.second[row]).at);
    self.level = isStudent ? levelOf(data.correction, familyPlaces.length, () => Array.from(familyPlaces, self.pvalue), data.sets) : null;
    self.at = (settings) => new Answer(self, settings);
    return self;
  }

  // The answer for one rope and alpha. `given` is the rope as it was asked for, such as "1%".
  class Answer {
    constructor(engine, { rope, alpha, given = null }) {
      Object.assign(this, { engine, data: engine.data, n: engine.n, rope, alpha, given, words: engine.data.words });
      this.shipped = engine.isStudent ? null : engine.data.levels.find((each) => each.alpha === alpha);
      if (this.shipped === undefined) throw new RangeError(`no ends are known for alpha ${alpha}`);
      this.judgePairs();
      this.judgeModels();
    }

    // --- numbers

    // Interval at 1 - level, of a pair among all, as it stands there.
    ends(at, level) {
      const { pairs, multiplier } = this.engine;
      if (pairs.kind[at] !== 0) return [NaN, NaN];
      const half = multiplier(level / 2, Math.max(pairs.df[at], 1)) * pairs.standard_error[at];
      return [pairs.difference[at] - half, pairs.difference[at] + half];
    }

    judgePairs() {
      const { engine, shipped, rope } = this, { family, pairs } = engine, m = engine.nPairs;
      this.level = shipped ? shipped.level : engine.level(this.alpha);
      this.low = shipped ? numbers(shipped.low, m) : new Float64Array(m);
      this.high = shipped ? numbers(shipped.high, m) : new Float64Array(m);
      this.verdict = new Uint8Array(m);
      this.apart = new Int8Array(m);
      this.place = new Int32Array(m);
      for (let row = 0; row < m; row += 1) {
        const { at, sign } = engine.oriented(family.first[row], family.second[row]);
        if (!shipped) {
          const [low, high] = this.ends(at, this.level);
          [this.low[row], this.high[row]] = sign > 0 ? [low, high] : [-high, -low];
        }
        this.place[row] = at;
        this.verdict[row] = verdictOf(this.low[row], this.high[row], rope, pairs.tolerance[at]);
        this.apart[row] = (this.low[row] > pairs.tolerance[at]) - (this.high[row] < -pairs.tolerance[at]);
      }
    }

    // Why a pair of the family is undecided.
    reason(row) {
      if (this.verdict[row] !== UNDECIDED) return "";
      if (this.shipped) return REASONS[column(this.shipped.why, this.engine.nPairs)[row]];
      const { pairs } = this.engine, at = this.place[row];
      if (pairs.kind[at]) return REASONS[pairs.kind[at]];
      if (this.low[row] === -Infinity && this.high[row] === Infinity) return REASONS[TOO_FEW_UNITS];
      const isOnZero = Math.min(Math.abs(this.low[row]), Math.abs(this.high[row])) <= pairs.tolerance[at];
      return REASONS[isOnZero && this.engine.pvalue(at) <= this.level ? DISCRETE : UNSETTLED];
    }

    judgeModels() {
      const { n, rope } = this, best = this.shipped ? shippedBest(this.shipped, n) : this.bestBounds(this.alpha / Math.max(2, n - 1));
      this.best = best;
      const limit = rope + this.engine.pairs.tolerance.reduce((most, each) => Math.max(most, each), 0); // but for rounding
      const nBest = best.mayBeBest.filter(Boolean).length;
      this.standing = best.mayBeBest.map((may, row) => {
        if (may && nBest === 1) return BEST;
        if (rope > 0 && best.shortfallHigh[row] <= limit) return NEAR_BEST;
        return may ? MAY_BE_BEST : NOT_BEST;
      });
      const hasAllPairs = this.data.baseline === undefined;
      this.rankLow = hasAllPairs ? new Int32Array(n).fill(1) : null;
      this.rankHigh = hasAllPairs ? new Int32Array(n).fill(n) : null;
      if (!hasAllPairs) return;
      const { first, second } = this.engine.family;
      this.apart.forEach((above, row) => {
        if (above) this.rankLow[above > 0 ? second[row] : first[row]] += 1;
        if (above) this.rankHigh[above > 0 ? first[row] : second[row]] -= 1;
      });
    }

    // Bounds of every model against the best, each one-sided at this level.
    bestBounds(level) {
      const { n } = this, { pairs } = this.engine, arrows = [];
      const low = new Float64Array(pairs.first.length), high = new Float64Array(low.length);
      const shortfallLow = new Float64Array(n).fill(-Infinity), shortfallHigh = new Float64Array(n);
      low.forEach((_, at) => {
        const one = pairs.first[at], two = pairs.second[at];
        [low[at], high[at]] = this.ends(at, 2 * level);
        if (low[at] > pairs.tolerance[at]) arrows.push([one, two]);
        if (high[at] < -pairs.tolerance[at]) arrows.push([two, one]);
        if (low[at] > shortfallLow[two]) shortfallLow[two] = low[at];
        if (-high[at] > shortfallLow[one]) shortfallLow[one] = -high[at];
      });
      const mayBeBest = sources(arrows, n);
      low.forEach((_, at) => {
        const one = pairs.first[at], two = pairs.second[at];
        const [above, below] = Number.isNaN(low[at]) ? [Infinity, Infinity] : [high[at], -low[at]];
        if (mayBeBest[one] && above > shortfallHigh[two]) shortfallHigh[two] = above;
        if (mayBeBest[two] && below > shortfallHigh[one]) shortfallHigh[one] = below;
      });
      return { mayBeBest, shortfallLow, shortfallHigh };
    }

    get letters() {
      const { n } = this;
      if (this.data.baseline !== undefined || n > MOST_LETTERED) return null;
      const told = new Uint8Array(n * n), { first, second } = this.engine.family;
      this.apart.forEach((above, row) => { told[first[row] * n + second[row]] = told[second[row] * n + first[row]] = above !== 0; });
      return letters(n, (one, other) => told[one * n + other]);
    }

    // Everything about one pair, in the orientation asked for; outside the family its own interval and no verdict.
    pair(one, two) {
      const { engine, data, shipped } = this, { pairs, n } = { pairs: engine.pairs, n: this.n };
      const { at, sign } = engine.oriented(one, two);
      const asIs = engine.familyRow.get(one * n + two), row = asIs ?? engine.familyRow.get(two * n + one);
      const turned = (low, high, as) => (as > 0 ? [low, high] : [-high + 0, -low + 0]);
      const se = pairs.standard_error, common = {
        first: one, second: two, difference: sign * pairs.difference[at] + 0, n_units: pairs.n_units[at], tolerance: pairs.tolerance[at],
        standard_error: se ? se[at] : NaN, is_in_family: row !== undefined,
      };
      let low, high, judged;
      if (row !== undefined) {
        [low, high] = turned(this.low[row], this.high[row], asIs === undefined ? -1 : 1);
        const code = this.verdict[row];
        judged = { level: this.level, verdict: VERDICTS[asIs === undefined ? MIRRORED[code] : code], reason: this.reason(row) };
      } else {
        const own = shipped ? [number(shipped.own_low[at]), number(shipped.own_high[at])] : this.ends(at, this.alpha);
        [low, high] = turned(own[0], own[1], sign);
        judged = { level: NaN, verdict: "", reason: REASONS[pairs.kind[at]] };
        if (!pairs.kind[at] && low === -Infinity && high === Infinity) judged.reason = REASONS[TOO_FEW_UNITS];
      }
      const found = { ...common, ...judged, interval_low: low, interval_high: high };
      found.resolution = se ? found.standard_error : (high - low) / 4;
      return Object.assign(found, this.regions(at, sign));
    }

    // The verdict on a pair of the family in the orientation asked for; "" for others.
    verdictOf(one, two) {
      const { engine, n } = this, row = engine.familyRow.get(one * n + two), other = engine.familyRow.get(two * n + one);
      return VERDICTS[row !== undefined ? this.verdict[row] : other !== undefined ? MIRRORED[this.verdict[other]] : NONE];
    }

    // Posterior probabilities of the regions above, inside and below the rope; null where they are not known for this rope.
    regions(at, sign) {
      const { data, rope } = this, { pairs } = this.engine;
      if (!data.is_posterior) return {};
      if (!this.engine.isStudent) {
        if (rope !== data.asked.rope) return { p_better: null, p_equivalent: null, p_worse: null };
        const [better, equivalent, worse] = data.regions.map((values) => number(column(values, pairs.first.length)[at]));
        return { p_better: sign > 0 ? better : worse, p_equivalent: equivalent, p_worse: sign > 0 ? worse : better };
      }
      const d = sign * pairs.difference[at], se = pairs.standard_error[at], df = Math.max(pairs.df[at], 1), kind = pairs.kind[at];
      if (kind === 3) return { p_better: NaN, p_equivalent: NaN, p_worse: NaN };
      if (kind) {
        const limit = rope + pairs.tolerance[at]; // all of it lies at one point
        return { p_better: Number(d > limit), p_equivalent: Number(Math.abs(d) <= limit), p_worse: Number(d < -limit) };
      }
      const better = tail((rope - d) / se, df), worse = tail((rope + d) / se, df);
      const inside = d > 0 ? tail((d - rope) / se, df) - worse : tail((-rope - d) / se, df) - better;
      return { p_better: better, p_equivalent: inside, p_worse: worse };
    }

    // --- words

    get limits() {
      const rope = Number(this.ropeNumber);
      this.shownLimits ??= [0, rope, -rope];
      return this.shownLimits;
    }

    // The rope as a number: as it was given, or of a share as many digits as leave every interval on its side of it.
    get ropeNumber() {
      this.shownRope ??= this.given === null ? general(this.rope, 15) : this.shareNumber();
      return this.shownRope;
    }

    shareNumber() {
      const known = [...this.best.shortfallHigh, ...this.low, ...this.high].map(Math.abs);
      for (let digits = 3; digits < 17; digits += 1) {
        const text = general(this.rope, digits), [low, high] = [Number(text), this.rope].sort((a, b) => a - b);
        if (low === high || !known.some((end) => end >= low && end <= high)) return text;
      }
      return general(this.rope);
    }

    get ropeWords() {
      return this.given === null ? this.ropeNumber : `${this.ropeNumber} (${this.given.trim()})`;
    }

    get isSimultaneous() {
      return SIMULTANEOUS.includes(this.data.correction) || this.engine.nPairs === 1 || "by_itself" in this.data;
    }

    // Name of the one interval of a pair.
    intervalName({ inFamily = true, isHeader = false } = {}) {
      const words = this.words.pair, percent = formatPercent(1 - this.alpha);
      if (!inFamily) return say(words["own interval"], { percent });
      if (!this.isSimultaneous) return say(words.interval, { percent: levelWords(this.level) });
      return say(words[this.engine.nPairs > 1 && !isHeader ? "together" : "interval"], { percent });
    }

    get sign() {
      return this.data.higher_is_better ? 1 : -1;
    }

    // An interval in the sign of the metric.
    intervalText(low, high, decimals) {
      const ends = [this.sign * low + 0, this.sign * high + 0].sort((a, b) => a - b);
      return formatInterval(...ends, decimals, this.limits);
    }

    pairSentence(one, two) {
      let pair = this.pair(one, two);
      const words = this.words.pair, { data } = this;
      if (!Number.isFinite(pair.interval_low) && !Number.isFinite(pair.interval_high)) return this.withoutInterval(pair);
      if (pair.difference < 0) pair = this.pair(two, one);
      const decimals = decimalsFor(pair.resolution), a = data.names[pair.first], b = data.names[pair.second];
      const size = say(words[data.higher_is_better ? "higher" : "lower"], { metric: data.metric, size: formatScore(pair.difference, decimals) });
      const name = this.intervalName({ inFamily: pair.is_in_family });
      const parts = {
        a, b, size, rope: this.ropeWords, ends: this.intervalText(pair.interval_low, pair.interval_high, decimals),
        interval: data.higher_is_better ? name : say(words["of a loss"], { interval: name }),
      };
      parts.how = say(words.how, parts);
      if (pair.verdict === "better") return say(words[this.rope ? "better by more" : "better"], parts);
      if (pair.verdict === "ahead") return say(words.ahead, parts);
      parts.size = say(words[pair.difference > pair.tolerance ? "for" : "equal"], { a, size, metric: data.metric });
      if (pair.verdict === "equivalent") {
        const isAhead = pair.interval_low > pair.tolerance || pair.interval_high < -pair.tolerance;
        return say(words.equivalent, parts) + (isAhead ? say(words["though ahead"], parts) : "");
      }
      parts.how = say(words.how, parts);
      parts.why = say(words[pair.reason === "discrete" ? "discrete" : this.rope ? "unsettled" : "no rope"], parts);
      return say(words[pair.is_in_family ? "undecided" : "no verdict"], parts);
    }

    withoutInterval(pair) {
      const { names, unit } = this.data, words = this.words.without;
      return say(words[pair.reason] ?? words["missing-splits"], {
        a: names[pair.first], b: names[pair.second], n: pair.n_units, unit, units: count(pair.n_units, unit),
        level: pair.reason === "too-few-units" ? levelWords(pair.level) : "",
      });
    }

    // Decimals of the tables: those of the median uncertainty.
    get decimals() {
      this.shownDecimals ??= this.typicalDecimals();
      return this.shownDecimals;
    }

    typicalDecimals() {
      const { standard_error: se } = this.engine.pairs;
      const sizes = Array.from(this.place, (at, row) => (se ? se[at] : (this.high[row] - this.low[row]) / 4))
        .filter((size) => Number.isFinite(size) && size > 0).sort((a, b) => a - b);
      const middle = sizes.length >> 1;
      return decimalsFor(sizes.length % 2 ? sizes[middle] : (sizes[middle - 1] + sizes[middle]) / 2);
    }

    bound(rows) {
      const largest = Math.max(...rows.map((row) => this.best.shortfallHigh[row]));
      return formatBound(largest, this.decimals, [Number(this.ropeNumber)]);
    }

    // The answer in words.
    get sentence() {
      if (this.engine.nPairs === 1) return this.pairSentence(this.engine.family.first[0], this.engine.family.second[0]);
      return this.data.baseline === undefined ? [...this.standingSentences()].join(" ") : this.againstBaseline();
    }

    * standingSentences() {
      const { data, n } = this, words = this.words.comparison;
      const inG = [...data.names.keys()].filter((row) => this.best.mayBeBest[row]);
      const opening = data.opening.replace("\0", formatScore(data.means[0], this.decimals));
      const other = column(data.lacking, n)[inG[0]] ? "other is best" : "another is best";
      const which = inG.length === 1 ? (inG[0] === 0 ? "best" : other) : inG.length === n ? "any" : "some";
      const best = listed(inG.map((row) => data.names[row]));
      yield say(words[which], { opening, best, k: inG.length, n, level: formatPercent(1 - this.alpha) });
      yield* this.shortfallSentences();
    }

    * shortfallSentences() {
      const { n, standing } = this, { names } = this.data, words = this.words.comparison, rows = [...names.keys()];
      const near = rows.filter((row) => standing[row] === NEAR_BEST), rope = this.ropeWords;
      if (near.length) {
        const which = near.length === n ? "all near" : near.length === 1 ? "one near" : "some near";
        yield say(words[which], { near: listed(near.map((row) => names[row])), bound: this.bound(near), rope });
      } else if (this.rope && this.best.mayBeBest.filter(Boolean).length > 1) {
        yield say(words["none near"], { rope });
      }
      const rest = rows.filter((row) => standing[row] === MAY_BE_BEST || standing[row] === NOT_BEST);
      const bounded = rest.filter((row) => Number.isFinite(this.best.shortfallHigh[row]));
      const unbounded = rest.filter((row) => !Number.isFinite(this.best.shortfallHigh[row]));
      if (bounded.length) yield this.boundedSentence(bounded, near.length);
      if (unbounded.length) yield say(words["not known"], { names: listed(unbounded.map((row) => names[row])) });
    }

    boundedSentence(bounded, nNear) {
      const { n } = this, { names } = this.data, words = this.words.comparison, bound = this.bound(bounded);
      if (bounded.length === 1) return say(words["one falls short"], { name: names[bounded[0]], bound });
      if (bounded[0] === 0) {
        const first = say(words["first falls short"], { name: names[0], bound: this.bound(bounded.slice(0, 1)) });
        const which = bounded.length === n ? "all others fall short" : bounded.length === 2 ? "one other falls short" : "others fall short";
        return say(words[which], { first, name: names[bounded[1]], bound: this.bound(bounded.slice(1)) });
      }
      const nBest = this.standing.filter((code) => code === BEST).length;
      return say(words[bounded.length + nNear + nBest === n ? "all the others do" : "some others do"], { bound });
    }

    // only baseline
    againstBaseline() {
      const { data } = this, words = this.words.comparison, groups = Object.fromEntries(VERDICTS.map((verdict) => [verdict, []]));
      data.names.forEach((name, row) => groups[this.against(row).verdict].push(name));
      const shown = {};
      let left = MOST_NAMES - 1;
      for (const verdict of ["better", "ahead", "equivalent", "undecided", "behind", "worse"]) {
        const names = groups[verdict];
        shown[verdict] = left === 0 || !names.length ? count(names.length, "other model") : listed(names, names.length <= left ? left : left + 1);
        left -= Math.min(names.length, left);
      }
      const verdicts = Object.entries(this.words.against).filter(([verdict]) => groups[verdict].length).map(([verdict, said]) =>
        say(words[groups[verdict].length === 1 ? "is" : "are"], { names: shown[verdict], verdict: said }));
      const mean = formatScore(data.means[data.baseline], this.decimals);
      return say(words.against, { baseline: data.names[data.baseline], metric: data.value, mean, verdicts: verdicts.join("; ") });
    }
    // end

    get reference() {
      return this.data.baseline ?? 0;
    }

    // One model against the reference; the reference itself, and a pair outside the family, has no verdict.
    against(row) {
      const nothing = { difference: 0, interval_low: NaN, interval_high: NaN, verdict: "", reason: "" };
      if (row === this.reference) return nothing;
      const pair = this.pair(row, this.reference);
      if (!pair.is_in_family) return nothing;
      return { ...pair, difference: Math.abs(pair.difference) <= pair.tolerance ? 0 : pair.difference };
    }

    // Texts of one row of the ranking, by the names of its columns.
    ranking(row) {
      const { n, data, decimals } = this, against = this.against(row), isReference = row === this.reference;
      const texts = {
        mean: formatScore(data.means[row], decimals),
        difference: isReference ? undefined : formatScore(this.sign * against.difference, decimals, { signed: true }),
        interval: isReference ? undefined : this.intervalText(against.interval_low, against.interval_high, decimals),
        verdict: verdictText(against.verdict, against.reason),
        rank: String(row + 1),
      };
      if (this.rankLow && n > 2) {
        const [low, high] = [this.rankLow[row], this.rankHigh[row]];
        texts.rank = low === high ? `${row + 1} (${low})` : `${row + 1} (${low}-${high})`;
      }
      if (data.baseline === undefined && n > 2) {
        const shortfall = this.best.shortfallHigh[row];
        texts.shortfall_high = Number.isFinite(shortfall) ? formatBound(shortfall, decimals, [Number(this.ropeNumber)]) : "-";
        texts.standing = STANDINGS[this.standing[row]];
      }
      return texts;
    }

    // Texts of one pair of the family, by the names of its columns.
    pairTexts(row) {
      const { decimals } = this, { first, second } = this.engine.family, pair = this.pair(first[row], second[row]);
      const texts = {
        difference: formatScore(this.sign * pair.difference, decimals, { signed: true }),
        interval: this.intervalText(pair.interval_low, pair.interval_high, decimals),
        verdict: verdictText(pair.verdict, pair.reason),
      };
      for (const name of ["p_better", "p_equivalent", "p_worse"]) {
        if (name in pair) texts[name] = pair[name] === null ? "" : formatProbability(pair[name]);
      }
      return texts;
    }

    // Note on the rope and on what the intervals of the family hold together.
    get familyNote() {
      const { data } = this, words = this.words.comparison, n = this.engine.nPairs;
      const rope = say(words[this.rope ? "rope" : "no rope"], { rope: this.ropeWords, metric: data.metric });
      const lies = say(words.lies, { rope });
      if (n === 1) return lies;
      if (data.by_itself) return say(words["by itself"], { lies, n, level: levelWords(this.level), method: data.by_itself });
      const how = this.isSimultaneous ? "together" : data.correction === "none" ? "each for itself" : "at a level";
      const percent = formatPercent(1 - this.alpha);
      return say(words[how], { lies, n, percent, correction: data.correction, level: levelWords(this.level) });
    }

    get bestNote() {
      return say(this.words.comparison["with the best"], { level: formatPercent(1 - this.alpha) });
    }

    // --- requirements

    // only requirements
    // Each requirement: outcome, interval, and a sentence that begins with the outcome.
    get requirements() {
      const asked = this.data.requirements ?? [];
      return asked.map((each, i) => {
        const judged = { ...each, ...(each.gate === "near best" ? this.nearBest(each, i) : this.requiredOfPair(each, i)) };
        judged.line = this.judgement(judged);
        return judged;
      });
    }

    requiredOfPair(each, i) {
      const { rope } = this, { pairs } = this.engine, { at, sign } = this.engine.oriented(each.first, each.second);
      const tolerance = pairs.tolerance[at];
      let found;
      if (this.shipped) {
        found = this.shippedRequirement(i);
      } else {
        const [low, high] = this.ends(at, this.alpha / each.n_questions);
        found = {
          difference: sign * pairs.difference[at] + 0, interval_low: sign > 0 ? low : -high, interval_high: sign > 0 ? high : -low,
          n_units: pairs.n_units[at], reason: REASONS[pairs.kind[at]],
        };
      }
      const { interval_low: low, interval_high: high } = found;
      found.outcome = each.gate === "better"
        ? outcomeOf(low > rope + tolerance, high <= rope + tolerance)
        : outcomeOf(low >= -rope - tolerance, high < -rope - tolerance);
      return found;
    }

    nearBest(each, i) {
      const { n, rope } = this, { pairs } = this.engine, row = each.first;
      const against = [...this.data.names.keys()].filter((other) => other !== row).map((other) => this.engine.oriented(other, row));
      const limit = rope + Math.max(...against.map(({ at }) => pairs.tolerance[at]));
      let found;
      if (this.shipped) {
        found = this.shippedRequirement(i);
      } else {
        const bounds = this.bestBounds(this.alpha / (each.n_questions * Math.max(2, n - 1)));
        const gaps = against.map(({ at, sign }) => sign * pairs.difference[at]).filter((gap) => !Number.isNaN(gap));
        found = {
          difference: Math.max(0, ...gaps), interval_low: Math.max(0, bounds.shortfallLow[row]), interval_high: bounds.shortfallHigh[row],
          n_units: Math.min(...against.map(({ at }) => pairs.n_units[at])), reason: "",
        };
        if (!Number.isFinite(found.interval_high)) found.reason = REASONS[Math.max(...against.map(({ at }) => pairs.kind[at]))];
      }
      found.outcome = outcomeOf(found.interval_high <= limit, found.interval_low > limit);
      return found;
    }

    shippedRequirement(i) {
      const found = this.shipped.requirements[i];
      return { ...found, interval_low: number(found.interval_low), interval_high: number(found.interval_high), difference: number(found.difference) };
    }

    judgement(r) {
      const words = this.words.requirements.words, rope = formatLimit(this.rope), key = `${r.gate}, ${r.outcome}`;
      const by = this.rope ? say(words.by, { rope }) : "";
      const stated = r.gate === "near best" && r.outcome === "met" && !this.rope ? words["is best"] : this.words.requirements.stated[key];
      const hasInterval = !Number.isNaN(r.interval_low) && (r.outcome !== "inconclusive" || !r.reason);
      const sentence = say(words.sentence, {
        stated: say(stated, { a: r.a, b: r.b, by, limit: rope }),
        shown: hasInterval ? this.shownOf(r, words, key) : this.unshownOf(r, words),
        asked: say(words[r.n_questions === 1 ? "one" : "several"], { n: r.n_questions }),
      });
      return say(words.judgement, { outcome: r.outcome, sentence, note: this.besideThePair(r, words) });
    }

    // The difference, or by how much a model falls short, and where its interval lies.
    shownOf(r, words, key) {
      const isNear = r.gate === "near best", sign = isNear ? 1 : this.sign, { metric } = this.data;
      const ends = [r.interval_low, r.interval_high].filter(Number.isFinite);
      const decimals = decimalsFor(Math.max(...ends.map((end) => Math.abs(end - r.difference))) / 2);
      const limit = sign * this.limitOf(r) + 0, [low, high] = [sign * r.interval_low + 0, sign * r.interval_high + 0].sort((a, b) => a - b);
      const where = say(this.words.requirements.where[key] ?? words["both sides"], {
        limit: formatLimit(limit), above: sign > 0 ? "above" : "below", below: sign > 0 ? "below" : "above",
      });
      const interval = say(words[isNear ? "shortfall" : "interval"], {
        level: this.requiredLevel(r), ends: formatInterval(low, high, decimals, [0, limit]), where,
      });
      const difference = isNear ? formatScore(r.difference, decimals) : formatScore(sign * r.difference, decimals, { signed: true });
      const which = isNear ? (r.difference > 0 ? "short" : "the best") : "difference";
      return say(words[which], { metric, difference, interval, a: r.a, side: sign > 0 ? "positive" : "negative" });
    }

    unshownOf(r, words) {
      const { unit } = this.data, said = this.words.requirements.reasons[r.reason] ?? words["no interval"];
      const why = say(said, { units: count(r.n_units, unit), unit, level: this.requiredLevel(r) });
      return r.gate === "near best" ? say(words["no bound"], { why }) : why;
    }

    requiredLevel(r) {
      return levelWords(this.alpha / r.n_questions);
    }

    limitOf(r) {
      return r.gate === "not worse" ? -this.rope + 0 : this.rope;
    }

    // Words where the verdict on the pair reads otherwise.
    besideThePair(r, words) {
      if (r.gate === "near best") return "";
      const pair = this.pair(r.first, r.second), agrees = { better: ["better"], "not worse": ["better", "ahead", "equivalent"] }[r.gate];
      const isMet = r.outcome === "met", says = agrees.includes(pair.verdict);
      if (pair.verdict === "" || r.reason || isMet === says || (!isMet && !says)) return "";
      const limit = this.limitOf(r), isShown = r.gate === "better" ? pair.interval_low > limit : pair.interval_low >= limit;
      if (isShown && isMet) return say(words["asks for more"], { verdict: pair.verdict, limit: formatLimit(limit) });
      const here = count(r.n_questions, "question"), n = this.engine.nPairs, there = count(n, "pair");
      return say(words["other family"], { verdict: pair.verdict, there, here, are: n === 1 ? "is" : "are" });
    }

    // Numbers of requirements met, broken and inconclusive.
    get requirementsHeadline() {
      const outcomes = this.requirements.map((each) => each.outcome), n = outcomes.length;
      if (new Set(outcomes).size === 1) return `${n === 1 ? "Requirement" : `All ${n} requirements`} ${outcomes[0]}`;
      const shares = ["met", "broken", "inconclusive"].map((each) => [outcomes.filter((outcome) => outcome === each).length, each]);
      return `Of ${n} requirements ${shares.filter(([k]) => k).map(([k, each]) => `${k} ${each}`).join(", ")}`;
    }
    // end
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

  function shippedBest(shipped, n) {
    return {
      mayBeBest: column(shipped.may_be_best, n), shortfallHigh: numbers(shipped.shortfall_high, n).map((value) => (Number.isNaN(value) ? Infinity : value)),
    };
  }

  const outcomeOf = (met, broken) => (met ? "met" : broken ? "broken" : "inconclusive");

  const verdictText = (verdict, reason) => verdict + (reason && reason !== "unsettled" ? ` (${reason})` : "");

  return { engine, tail, quantile, logDensity, VERDICTS, MIRRORED, STANDINGS, decimalsFor, formatScore, formatProbability, formatPvalue, levelWords, general, fixed };
})();
