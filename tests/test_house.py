"""The tree as a whole: names, imports, and the pages that say where things are.

``python tests/test_house.py [FOLDER]`` prints files, lines of code and lines of docstrings by package for the checkout in FOLDER
(this one if none is given), and then everything that a test here would complain about.

A package is the folder that holds a file: ``stores/`` and ``stores/sql/`` are two packages.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from statistics import median

import pytest

from tiebreak import numerics
from tiebreak.cli import COMMANDS

pytestmark = pytest.mark.xdist_group("house")  # the tree is read once, and not by each of pytest's workers

SAME_NAMES = ("cli/", "views/", "views/plots/", "views/report/")
"""Rooms with one file for each command or result, named after it."""

CIRCLES: dict[tuple[str, str], str] = {}
"""Imports (who, whom) that close a circle, each with the reason why it has to stay."""

REGISTRIES = {
    "__init__.py",
    "audits/audit.py",
    "comparison/procedures/__init__.py",
    "metrics/fast/formulas.py",
    "numerics/__init__.py",
    "runners/runner.py",
}
"""Files that list others, one line each; being imported by one of them only is what their entries are for.

So it is for a file that a registry names in a text (``"tiebreak.views.pair:VIEW"``), and for a command.
"""

ON_THEIR_OWN = {
    "comparison/letters.py": "compact letters are an algorithm of their own, found by the name of its file",
    "comparison/notices.py": "what is remarked on an answer is a rule of its own; comparison.py holds the answer",
    "evaluation/heads.py": "cell.py measures one cell, and this stands between cells of a split",
    "evaluation/missing.py": "evaluate.py measures, and this finds the cells that are left, and shares them with others",
    "evaluation/process.py": "cell.py measures one cell, and this belongs to the process",
    "readers/answer.py": "saved answers are a format of their own; read.py says what a source is",
    "readers/summary.py": "a table of means is a shape of its own, which shapes.py only recognises",
    "readers/join.py": "read.py says what each source is, and this pairs several",
    "stores/backup.py": "a copy is made and verified as a file; sql.py holds the store",
    "stores/postgres.py": "one file for each kind of database",
}
"""Files that only one file of their package imports, each with the reason why it is not part of that one."""

FORMULAS = (
    "Nadeau-Bengio variance",
    "Holm",
    "alpha of the intervals",
    "comparisons with the best",
    "letters",
    "joint p_best",
    "Newcombe",
    "DeLong",
    "BBC-CV",
    "ROC ties",
    "would more data help",
    "split fingerprint",
    "lease expiry",
    "cost-optimal threshold",
)
"""What a newcomer should find at the first guess; CONTRIBUTING.md says where each stands."""

STUDENT_BY_HAND = {
    "audits/folds.py": "a normal score of each group against Student's t",
    "statistics/posterior/hierarchical.py": "Student's t is the prior's, integrated over a grid",
    "comparison/looks.py": "the test of a rank correlation, which is no estimate with an error",
    "comparison/procedures/clustered_t.py": "the quantile as a function of a number of runs to come",
    "comparison/procedures/corrected_t.py": "the limit of a multiplier as splits grow in number",
    "statistics/auc.py": "areas without a variance, joined from the limits of each",
    "statistics/splits.py": "the 5x2cv statistic, and its critical value",
    "statistics/power.py": "a half-width beside an error that is yet to be estimated",
    "statistics/looks.py": "bounds of a statistic that is looked at several times",
    "statistics/skew.py": "a test of symmetry, whose statistic is no estimate with an error",
}
"""Files that take Student's t by itself; all others have it around an estimate, as a law."""

STUDENT_FUNCTIONS = {name for name in numerics.__all__ if name.startswith("student_")}

REPLACES_NO_ENGLISH = {
    "studies/curves.py": "the default name of a run, of which the first word says what was run",
}
"""Files that replace a word in a text that is no sentence."""

RIDDLE_NAMES = {"material", "twins", "asked", "told_apart", "complication", "honest", "ink", "ready", "made"}
"""Words that say nothing of what they name; no function, class, field or module of the package is called so."""

LEANS = re.compile(r"(The same|Same|Likewise|Those|As elsewhere|As above)\b")

RIDDLE = re.compile(r"(What|Whether|How|Of|Where|That)\b")


@dataclass(frozen=True)
class Module:
    """A file of the package."""

    path: str
    """From the package's folder on, such as ``stores/sql/rows.py``."""
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        return list(ast.walk(self.tree))

    @property
    def package(self) -> str:
        return self.path[: self.path.rfind("/") + 1]

    @property
    def stem(self) -> str:
        return Path(self.path).stem

    @property
    def name(self) -> str:
        """As it is imported; that of a package for its ``__init__``."""
        return ".".join(("tiebreak", *Path(self.path).with_suffix("").parts)).removesuffix(".__init__")

    @property
    def n_lines(self) -> int:
        return self.text.count("\n")

    @property
    def nodes_with_docstrings(self) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        return (node for node in self.nodes if isinstance(node, kinds) and ast.get_docstring(node))

    @property
    def docstring_lines(self) -> set[int]:
        """Lines of strings that stand alone: docstrings, and the texts below attributes."""
        alone = (node for node in self.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        return {line for node in alone if isinstance(node.value.value, str) for line in range(node.lineno, node.end_lineno + 1)}

    @property
    def n_code(self) -> int:
        """Number of lines with code on them: no docstring, no blank line, no line with a comment only."""
        nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
        tokens = tokenize.generate_tokens(io.StringIO(self.text).readline)
        lines = {line for t in tokens if t.type not in nothing for line in range(t.start[0], t.end[0] + 1)}
        return len(lines - self.docstring_lines)

    def bodies(self) -> Iterator[tuple[str, int]]:
        """Place and number of lines of the body of each function, docstrings aside."""
        for node in self.nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                size = node.end_lineno - body[0].lineno + 1 if body else 0
                yield f"{self.path}:{node.lineno} {node.name}", size

    def imported(self, modules: Set[str], *, for_types: bool) -> set[str]:
        """Names of those of the modules that are imported anywhere in this one, within functions too.

        ``for_types`` says whether imports under ``if TYPE_CHECKING`` count.
        """
        found = set()
        for node in self.import_nodes:
            if not for_types and id(node) in self.ids_for_types:
                continue
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif node.module:
                # `from package import name` is an import of package.name where that is a module, else of the package
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {name if name in modules else node.module for name in inner}
        return found & modules - {self.name}

    @cached_property
    def import_nodes(self) -> list[ast.Import | ast.ImportFrom]:
        return [node for node in self.nodes if isinstance(node, (ast.Import, ast.ImportFrom))]

    @cached_property
    def ids_for_types(self) -> set[int]:
        """Nodes under ``if TYPE_CHECKING``."""
        blocks = [node for node in self.nodes if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")]
        return {id(inner) for block in blocks for statement in block.body for inner in ast.walk(statement)}


class House:
    """A checkout: the modules of the package, and the pages about them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        package = root / "src" / "tiebreak"
        files = sorted(package.rglob("*.py"))
        self.modules = [Module(file.relative_to(package).as_posix(), file.read_text(encoding="utf-8")) for file in files]
        self.imports = self._imports(for_types=True)
        """Paths that each path imports."""
        self.imports_at_run_time = self._imports(for_types=False)
        """The same without what is imported under ``if TYPE_CHECKING``."""

    def _imports(self, *, for_types: bool) -> dict[str, set[str]]:
        paths = {module.name: module.path for module in self.modules}
        return {
            module.path: {paths[name] for name in module.imported(paths.keys(), for_types=for_types)} for module in self.modules
        }

    def repeated_stems(self) -> list[str]:
        places = defaultdict(list)
        for module in self.modules:
            if module.package not in SAME_NAMES and module.stem != "__init__":
                places[module.stem].append(module.path)
        return [f"{stem}: {', '.join(paths)}" for stem, paths in places.items() if len(paths) > 3]

    def repeated_classes(self) -> list[str]:
        places = defaultdict(list)
        for module in self.modules:
            for node in module.nodes:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(module.path)
        return [f"{name}: {', '.join(paths)}" for name, paths in places.items() if len(paths) > 1]

    def circles(self) -> list[str]:
        """Groups of files that import each other, each with the shortest way around."""
        imports = self.imports_at_run_time
        graph = {who: {whom for whom in targets if (who, whom) not in CIRCLES} for who, targets in imports.items()}
        ways = {path: _way_around(graph, path) for path in graph}
        rows, seen = [], set()
        for path, way in sorted(ways.items(), key=lambda item: (len(item[1]), item[0])):
            if way and path not in seen:
                group = {other for other in _reached(graph, path) if path in _reached(graph, other)}
                seen |= group
                rows.append(f"{len(group)} files: {' > '.join(way)}")
        return rows

    def needless_exceptions(self) -> list[str]:
        """Entries of the lists above that are of no use any more."""
        imports = self.imports_at_run_time
        gone = [f"{who} does not import {whom}" for who, whom in CIRCLES if whom not in imports.get(who, ())]
        shards = self.all_shards()
        return gone + [f"{path} is not imported by one file of its package only" for path in ON_THEIR_OWN if path not in shards]

    def all_shards(self) -> dict[str, str]:
        """Files that only one file imports, which is of the same package."""
        importers = defaultdict(set)
        for who, targets in self.imports.items():
            for whom in targets:
                importers[whom].add(who)
        for path in self.registered():
            importers[path].add("a registry")
        found = {}
        for module in self.modules:
            who = next(iter(importers[module.path]), "")
            is_alone = len(importers[module.path]) == 1 and who[: who.rfind("/") + 1] == module.package
            is_plot = module.package == "views/plots/"  # found by its name, like a command
            if is_alone and module.stem != "__init__" and who not in REGISTRIES and not is_plot:
                found[module.path] = who
        return found

    def registered(self) -> set[str]:
        """Files that stand in a registry: by their dotted name in a text or in the stub of a package, or as a command."""
        paths = {module.name: module.path for module in self.modules}
        texts = {
            node.value.partition(":")[0]
            for module in self.modules
            for node in module.nodes
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("tiebreak.")
        }
        stubs = (stub.read_text(encoding="utf-8") for stub in (self.root / "src").rglob("*.pyi"))
        texts |= {line.split()[1] for stub in stubs for line in stub.splitlines() if line.startswith("from ")}
        commands = {f"cli/{name.replace('-', '_')}.py" for name in COMMANDS}
        return {paths[text] for text in texts & paths.keys()} | commands

    def shards(self) -> list[str]:
        return [f"{path}: only {who} imports it" for path, who in self.all_shards().items() if path not in ON_THEIR_OWN]

    def bodies(self) -> list[tuple[str, int]]:
        return list(chain.from_iterable(module.bodies() for module in self.modules))

    def riddles(self) -> list[str]:
        firsts = (
            (f"{module.path}:{getattr(node, 'lineno', 1)}", ast.get_docstring(node).splitlines()[0])
            for module in self.modules
            for node in module.nodes_with_docstrings
        )
        return [f"{place} {first}" for place, first in firsts if RIDDLE.match(first)]

    def leaning(self) -> list[str]:
        """Docstrings whose first word means what another docstring said."""
        rows = []
        for module in self.modules:
            alone = [node for node in module.nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
            texts = [(node.lineno, node.value.value) for node in alone if isinstance(node.value.value, str)]
            rows += [f"{module.path}:{line} {text.splitlines()[0]}" for line, text in texts if LEANS.match(text)]
        return rows

    def riddle_names(self) -> list[str]:
        """Functions, classes, fields and files that bear one of the words that are taken for nothing."""
        rows = []
        for module in self.modules:
            named = [(1, module.stem)]
            for node in module.nodes:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                    named.append((node.lineno, node.name))
                if isinstance(node, ast.ClassDef):
                    named += [(each.lineno, each.target.id) for each in node.body if isinstance(each, ast.AnnAssign)]
            rows += [f"{module.path}:{line} {name}" for line, name in named if name.strip("_").lower() in RIDDLE_NAMES]
        return rows

    def wrong_packages(self) -> list[str]:
        """Differences between the tree and the table under "Packages" in docs/architecture.md.

        A row is of one folder, and its last cell names all files in that folder, each in backticks: ``stores/sql/`` has a row of
        its own beside ``stores/``, and the package's own files are those of ``tiebreak/``.
        """
        listed = {}
        for cells in _table(self.root / "docs" / "architecture.md", "## Packages"):
            for package in re.findall(r"`([^`]+)`", cells[0]):
                listed[package] = set(re.findall(r"`([^`]+)`", cells[-1]))
        real = defaultdict(set)
        for module in self.modules:
            real[module.package or "tiebreak/"] |= {module.stem} - {"__init__"}
        rows = [f"{package} has no row" for package in real.keys() - listed.keys()]
        rows += [f"{package} is no folder" for package in listed.keys() - real.keys()]
        for package in real.keys() & listed.keys():
            rows += [f"{package}{stem}.py is not in its row" for stem in real[package] - listed[package]]
            rows += [f"{package} has no file {stem}.py" for stem in listed[package] - real[package]]
        return sorted(rows)

    def wrong_formulas(self) -> list[str]:
        """Rows of the list in CONTRIBUTING.md that are missing, or name a file or a function that is not there."""
        rows = _table(self.root / "CONTRIBUTING.md", "## Where a formula stands")
        listed = {cells[0]: [place.strip("`") for place in cells[1:3]] for cells in rows}
        wrong = [f"{formula} is not listed" for formula in FORMULAS if formula not in listed]
        modules = {module.path: module for module in self.modules}
        for formula, (path, function) in listed.items():
            if path not in modules:
                wrong.append(f"{formula}: there is no {path}")
            elif function not in _defined(modules[path].tree):
                wrong.append(f"{formula}: {path} does not define {function}")
        return wrong

    def further_students(self) -> list[str]:
        """Files outside of ``numerics`` that make Student's t anew: from SciPy, or from its tails and quantiles."""
        rows, found = [], set()
        for module in self.modules:
            if module.package == "numerics/":
                continue
            names = {node.id for node in module.nodes if isinstance(node, ast.Name)}
            imported = {alias.name for node in module.import_nodes for alias in node.names}
            rows += [f"{module.path}: {name}" for name in sorted((names | imported) & {"stdtr", "stdtrit"})]
            own = imported & STUDENT_FUNCTIONS
            if own:
                found.add(module.path)
                rows += [f"{module.path}: {name}" for name in sorted(own) if module.path not in STUDENT_BY_HAND]
        return rows + [f"{path} takes no function of Student's t" for path in sorted(STUDENT_BY_HAND.keys() - found)]

    def public(self) -> list[tuple[str, str]]:
        """Home and name of everything that stands in a stub."""
        stubs = (stub.read_text(encoding="utf-8") for stub in (self.root / "src").rglob("*.pyi"))
        words = [line.split() for stub in stubs for line in stub.splitlines() if line.startswith("from tiebreak.")]
        return [(home, name) for _, home, _, name, *_ in words]

    def unreached(self) -> list[str]:
        """Public functions that no other file of the package uses, and no page but the list of names in docs/api.md shows."""
        used = defaultdict(set)
        for module in self.modules:
            for node in module.nodes:
                if isinstance(node, (ast.Name, ast.Attribute)):
                    used[node.id if isinstance(node, ast.Name) else node.attr].add(module.name)
        pages = [*(self.root / "docs").glob("*.md"), *(self.root / "docs" / "questions").glob("*.md")]
        texts = [page.read_text(encoding="utf-8") for page in pages if page.name != "api.md"]
        shown = set(re.findall(r"\w+", "".join(texts)))
        functions = sorted((name, home) for home, name in self.public() if name[0].islower())
        return [f"{home}.{name}" for name, home in functions if not used[name] - {home} and name not in shown]

    def other_levels(self) -> list[str]:
        """Names with ``level`` in them that are no coverage: what is left out of an interval is its alpha."""
        return [f"{module.path}:{row}" for module in self.modules for row in _levels_of(module)]

    def written_frozen(self) -> list[str]:
        """Places that write into a frozen object otherwise than by ``set_checked``, or into the dictionary of any."""
        places = re.compile(r"object\.__setattr__|__dict__(\[[^]]*\] = |\.(update|pop|setdefault)\()")
        found = ((module.path, place) for module in self.modules for place in places.finditer(module.text))
        return [f"{path}: {place[0]}" for path, place in found if path != "numerics/checks.py"]

    def changed_sentences(self) -> list[str]:
        """Sentences in which a word is replaced by another: they are written with a place for it instead."""
        rows = []
        for module in self.modules:
            for node in module.nodes:
                is_replacing = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace"
                words = [each.value for each in node.args if isinstance(each, ast.Constant)] if is_replacing else []
                if words and isinstance(words[0], str) and re.fullmatch("[a-z]{2,}( [a-z]+)*", words[0]):
                    rows.append(f"{module.path}:{node.lineno} {words[0]}")
        return [row for row in rows if row.split(":")[0] not in REPLACES_NO_ENGLISH]

    def looks_up(self) -> list[str]:
        """Names of modules in texts, of packages that stand above: import-linter does not see them."""
        layers = tomllib.loads((self.root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
        place = {name: i for i, row in enumerate(layers["layers"]) for name in row.split(" | ")}
        rows = []
        for module in self.modules:
            own = module.name.split(".")[1] if "." in module.name else ""
            texts = [node.value for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            named = [found[1] for text in texts if (found := re.fullmatch(r"tiebreak\.(\w+)[\w.]*:\w+", text))]
            above = [each for each in named if own in place and place.get(each, 0) < place[own]]
            rows += [f"{module.path}: {each}" for each in sorted(set(above)) if module.path != "result.py"]
        return rows

    def laid_out_by_hand(self) -> list[str]:
        """Places that the formatter is told to leave alone, in programs, tests and scripts."""
        folders = ("src", "tests", "benchmarks", "docs", "examples")
        files = sorted(file for folder in folders for file in (self.root / folder).rglob("*.py"))
        texts = {file: file.read_text(encoding="utf-8").splitlines() for file in files}
        return [
            f"{file.relative_to(self.root)}:{number}"
            for file, lines in texts.items()
            for number, line in enumerate(lines, 1)
            if re.search("# fmt" + ": (skip|off)", line)
        ]

    def public_twice(self) -> list[str]:
        """Names that are public in two places."""
        counts = Counter(name for _, name in self.public())
        return sorted(name for name, n in counts.items() if n > 1)

    def unexported(self) -> list[str]:
        """Classes that public functions, and methods of public classes, return, and that are public nowhere."""
        public = self.public()
        exported = {name for _, name in public}
        kinds = (ast.ClassDef, ast.FunctionDef)
        tops = {(module.name, node.name): node for module in self.modules for node in module.tree.body if isinstance(node, kinds)}
        classes = {name for (_, name), node in tops.items() if isinstance(node, ast.ClassDef)}
        found = defaultdict(list)
        for home, name in public:
            node = tops.get((home, name))
            inner = node.body if isinstance(node, ast.ClassDef) else [node]
            for function in inner:
                if isinstance(function, ast.FunctionDef) and function.returns and not function.name.startswith("_"):
                    named = {each.id for each in ast.walk(function.returns) if isinstance(each, ast.Name)}
                    for other in named & classes - exported:
                        found[other].append(f"{name}.{function.name}")
        return [f"{other}, which {where[0]} returns" for other, where in sorted(found.items())]


OF_LEVELS = {"level", "LEVELS", "_level", "level_words", "alpha_of_level", "IsolationLevel"}
"""Names with ``level`` in them: coverages, functions that make one or its words, and PostgreSQL's."""


def _levels_of(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            given = node.args
            pairs = [*zip([*given.posonlyargs, *given.args][::-1], given.defaults[::-1], strict=False)]
            pairs += zip(given.kwonlyargs, given.kw_defaults, strict=True)
            small = [value for name, value in pairs if name.arg == "level" and isinstance(value, ast.Constant)]
            yield from (f"{node.lineno} level={each.value}" for each in small if not each.value >= 0.5)
        elif isinstance(node, ast.ClassDef):
            fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
            if "level" in fields and not re.search("[Cc]overage|confidence", ast.get_docstring(node) or ""):
                yield f"{node.lineno} {node.name}.level"
        named = {ast.arg: "arg", ast.Name: "id", ast.FunctionDef: "name", ast.ClassDef: "name"}
        name = getattr(node, named[type(node)]) if type(node) in named else None
        if name and "level" in name.lower() and name not in OF_LEVELS:
            yield f"{node.lineno} {name}"
        given_to = node.value if isinstance(node, ast.keyword) and node.arg == "level" else None
        if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == "level" for each in node.targets):
            given_to = node.value
        words = ast.unparse(given_to) if given_to is not None else ""
        if "alpha" in words and not re.search(r"\b1(\.0)? - |level_words\(|alpha_words\(", words):
            yield f"{node.lineno} level = {words}"


def _way_around(graph: dict[str, set[str]], start: str) -> list[str]:
    """Shortest way from a file back to itself, or nothing."""
    ways = [[start]]
    seen = set()
    for way in ways:
        for other in sorted(graph[way[-1]]):
            if other == start:
                return [*way, start]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return []


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    reached, ahead = {start}, [start]
    while ahead:
        new = graph[ahead.pop()] - reached
        reached |= new
        ahead.extend(new)
    return reached


def _table(page: Path, heading: str) -> list[list[str]]:
    """Cells of the rows of the first table below a heading."""
    _, _, below = page.read_text(encoding="utf-8").partition(f"{heading}\n")
    lines = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def _defined(tree: ast.AST, prefix: str = "") -> set[str]:
    """Names of the functions, classes and methods of a module, a method with its class: ``Leases.claim``."""
    names = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(f"{prefix}{node.name}")
        if isinstance(node, ast.ClassDef):
            names |= _defined(node, f"{prefix}{node.name}.")
    return names


@pytest.fixture(scope="module")
def house() -> House:
    return House(Path(__file__).parents[1])


def test_a_name_of_a_file_stands_at_most_three_times(house):
    """A file is found at the first guess: plan, readers and statistics each have one of splits, and no name has more homes."""
    assert house.repeated_stems() == []


def test_a_public_class_name_stands_once(house):
    """Two classes of one name are told apart by nobody who reads a traceback."""
    assert house.repeated_classes() == []


def test_no_circle_of_imports(house):
    """Imports within functions count: they hide a circle and do not open it."""
    assert house.circles() == []


def test_no_file_is_part_of_another_one(house):
    """What only one file of the same package imports belongs inside that one, unless there is a reason."""
    assert house.shards() == []


def test_no_exception_is_needless(house):
    """An exception that is no longer used would hide the next slip."""
    assert house.needless_exceptions() == []


def test_one_place_reads_the_text_of_a_table(house):
    """What separates cells, and how they are encoded and typed, is decided once; elsewhere files of our own are read."""
    parsers = re.compile(r"\bcsv\.(reader|DictReader)\(|read_csv\(|loadtxt\(|genfromtxt\(")
    own = {"readers/tables.py"}
    assert [module.path for module in house.modules if module.path not in own and parsers.search(module.text)] == []


def test_docstrings_name_the_thing(house):
    """A docstring starts with the noun or the verb of what it is about, not with a question word."""
    assert house.riddles() == []


def test_a_docstring_is_read_without_its_neighbour(house):
    """Editors and help() show it alone, so it says of what it is and not that it is the same."""
    assert house.leaning() == []


def test_names_say_what_they_name(house):
    """Who meets a name in a traceback knows what it holds, without having read the file that it is from."""
    assert house.riddle_names() == []


def test_the_table_of_packages_is_that_of_the_tree(house):
    """docs/architecture.md names exactly the packages and files that are there."""
    assert house.wrong_packages() == []


def test_formulas_stand_where_contributing_says(house):
    """Each formula of the list stands in the file, and is the function, that CONTRIBUTING.md names."""
    assert house.wrong_formulas() == []


def test_students_t_around_an_estimate_stands_once(house):
    """Tails, intervals and p-values of an estimate and its error come from the law of ``student``, wherever they are shown."""
    assert house.further_students() == []


def test_a_public_function_is_reached(house):
    """A function that no method, view or command uses is shown to people on a page; else it would be there for nobody."""
    assert house.unreached() == []


def test_a_name_is_public_in_one_place(house):
    """Two ways to the same thing make two kinds of code that do the same."""
    assert house.public_twice() == []


def test_what_is_returned_can_be_imported(house):
    """Who writes a function that takes a result names its class, so every class that is returned is public."""
    assert house.unexported() == []


def test_level_means_coverage(house):
    """``confidence_interval(level=pair.level)`` of what is left out would be a wrong interval, without an error."""
    assert house.other_levels() == []


def test_frozen_objects_are_written_in_one_place(house):
    """What is frozen does not change under the hands of whoever holds it; checked values are put in while it is made."""
    assert house.written_frozen() == []


def test_no_sentence_is_changed_by_replacing_words(house):
    """A noun that is replaced in a finished sentence hits other words, and grammar; a sentence has a place for it."""
    assert house.changed_sentences() == []


def test_no_text_names_a_module_above(house):
    """The registry of views is the one way up; another one would be an import that nobody checks."""
    assert house.looks_up() == []


def test_the_formatter_lays_out_nearly_everything(house):
    """Five places at most may be laid out by hand, such as a matrix that is read as one."""
    assert len(house.laid_out_by_hand()) <= 5, house.laid_out_by_hand()


def test_contributing_lists_what_a_procedure_may_define(house):
    """Who adds a procedure finds every member of it, and of what it returns, in two tables, and none that is gone."""
    text = (house.root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.partition("## Add a procedure: one file, one line")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)[`(]", part))
    tree = next(module for module in house.modules if module.path == "comparison/procedures/procedure.py").tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name in ("Procedure", "Judged"):
            fields = {each.target.id for each in node.body if isinstance(each, ast.AnnAssign)}
            assert fields - {"law"} <= told, node.name


CHECKS: dict[str, Callable[[House], list[str]]] = {
    "Names of files that stand more than twice": House.repeated_stems,
    "Public class names that stand more than once": House.repeated_classes,
    "Circles of imports": House.circles,
    "Files that only one file of their package imports": House.shards,
    "Exceptions that are not needed": House.needless_exceptions,
    "Docstrings that start with a question word": House.riddles,
    "Docstrings that lean on another one": House.leaning,
    "Names that say nothing of what they name": House.riddle_names,
    "Student's t around an estimate, made anew": House.further_students,
    "Public functions that nothing reaches": House.unreached,
    "Names that are public twice": House.public_twice,
    "Classes that are returned and not public": House.unexported,
    "Levels that are no coverage": House.other_levels,
    "Frozen objects that are written": House.written_frozen,
    "Sentences changed by replacing words": House.changed_sentences,
    "Names of modules above in texts": House.looks_up,
    "Places laid out by hand": House.laid_out_by_hand,
    "Table of packages in docs/architecture.md": House.wrong_packages,
    "List of formulas in CONTRIBUTING.md": House.wrong_formulas,
}


def print_sizes(house: House) -> None:
    """Print files, lines, lines of code and lines of docstrings by package."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for module in house.modules:
        for package in (module.package or "tiebreak/", "all"):
            n_docstring = len(module.docstring_lines)
            counts[package].update(files=1, lines=module.n_lines, code=module.n_code, docstrings=n_docstring)
    columns = ("files", "lines", "code", "docstrings")
    print(f"{'package':24}" + "".join(f"{column:>11}" for column in columns))
    for package in sorted(counts, key=lambda package: (package == "all", package)):
        print(f"{package:24}" + "".join(f"{counts[package][column]:11,}" for column in columns))


def main(root: Path) -> int:
    """Print the sizes and what the tests would complain about; 1 if there is anything."""
    house = House(root)
    print_sizes(house)
    sizes = [size for _, size in house.bodies()]
    print(
        f"\nbodies: median {median(sizes):g} lines, longest {max(sizes)}; longest module {max(m.n_lines for m in house.modules)}"
    )
    n_found = 0
    for title, check in CHECKS.items():
        rows = check(house)
        n_found += len(rows)
        print(f"\n{title}: {len(rows) or 'none'}")
        for row in rows:
            print(f"  {row}")
    return 1 if n_found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
