// Order of what the site's search finds: pages that explain stand before lists of commands, examples and names of attributes.
var Scorer = {
  // Of [page, title, anchor, description, score, file, kind].
  score: ([page, title, anchor, description, score]) => {
    if (page === "primer") return score + 16;
    if (/^questions\/|^(start|tools)$/.test(page)) return score + 8;
    if (/^(audit|evaluating|gates|metrics|stores|verdicts)$/.test(page)) return score + 4;
    if (/^generated\/tiebreak\./.test(page) || page === "architecture" || page === "genindex") return score - 30;
    if (/^(generated|examples-run)\/|^cli$/.test(page)) return score - 10;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 5, 1: -20, 2: -25 },  // modules; classes and functions; the rest
  objPrioDefault: -20,
  title: 30,
  partialTitle: 8,
  term: 5,
  partialTerm: 1,
};
