"""The tree as a whole: circles of imports, what stands once, pages that say where things are; `make lint` has the layers."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import grimp
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tiebreak.numerics.law import VERDICTS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tiebreak"
FILES = {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in sorted(SOURCE.rglob("*.py"))}
TREES = {path: ast.parse(text) for path, text in FILES.items()}
PUBLIC = [
    (home, name)
    for stub in SOURCE.rglob("*.pyi")
    for home, name in re.findall(r"^from (tiebreak[\w.]*) import (\w+) as", stub.read_text(encoding="utf-8"), re.MULTILINE)
]
"""Module and name of everything that stands in a stub."""

TAKES_STUDENT = {
    "audits/folds.py": "a normal score of each group against Student's t",
    "comparison/looks.py": "the test of a rank correlation, which is no estimate with an error",
    "comparison/procedures/items.py": "the quantile as a function of a number of runs to come",
    "comparison/procedures/corrected_t.py": "the limit of a multiplier as splits grow in number",
    "statistics/auc.py": "areas without a variance, joined from the limits of each",
    "statistics/looks.py": "bounds of a statistic that is looked at several times",
    "statistics/posterior/hierarchical.py": "Student's t is the prior's, integrated over a grid",
    "statistics/skew.py": "a test of symmetry, whose statistic is no estimate with an error",
    "statistics/splits.py": "the 5x2cv statistic, and its critical value",
}
"""Files that take Student's t by itself; all others have it around an estimate, as a law."""


def rows_below(page: str, heading: str) -> list[list[str]]:
    """Names in backticks in each cell of the rows of the first table below a heading."""
    part = (ROOT / page).read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")][2:]
    return [re.findall(r"`([^`]+)`", line) for line in lines]


def test_no_circle_of_imports() -> None:
    """Imports within functions count, which hide a circle and do not open it; those for types do not."""
    graph = grimp.build_graph("tiebreak", exclude_type_checking_imports=True, cache_dir=None)
    modules = sorted(graph.modules)
    edges = [
        (i, modules.index(other)) for i, module in enumerate(modules) for other in graph.find_modules_directly_imported_by(module)
    ]
    links = csr_array((np.ones(len(edges)), tuple(zip(*edges, strict=True))), shape=(len(modules), len(modules)))
    _, group = connected_components(links, connection="strong")
    assert [[modules[i] for i in np.flatnonzero(group == each)] for each in set(group) if (group == each).sum() > 1] == []


def test_a_public_name_is_public_once_and_a_class_stands_once() -> None:
    """Two ways to the same thing make two kinds of code that do the same, and nobody tells two classes of one name apart."""
    classes = [node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for names in ([name for _, name in PUBLIC], [name for name in classes if not name.startswith("_")]):
        assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_public_function_is_reached() -> None:
    """A function that no other file uses is shown on a page beside the list of names; else it would be there for nobody."""
    used = defaultdict(set)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)):
                used[node.id if isinstance(node, ast.Name) else node.attr].add(path)
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts and page.name != "api.md"]
    shown = set(re.findall(r"\w+", "".join(page.read_text(encoding="utf-8") for page in pages)))
    homes = {name: f"{home.removeprefix('tiebreak.').replace('.', '/')}.py" for home, name in PUBLIC if name[0].islower()}
    assert [name for name, home in homes.items() if not used[name] - {home} and name not in shown] == []


def test_what_is_returned_can_be_imported() -> None:
    """Who writes a function that takes a result names its class, so every class that a public function returns is public."""
    public = {name for _, name in PUBLIC}
    classes = {node.name for tree in TREES.values() for node in tree.body if isinstance(node, ast.ClassDef)}
    for home, name in PUBLIC:
        tree = TREES.get(f"{home.removeprefix('tiebreak.').replace('.', '/')}.py", ast.Module([], []))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == name and node.returns is not None:
                named = {each.id for each in ast.walk(node.returns) if isinstance(each, ast.Name)} & classes
                assert named <= public, f"{home}.{name}"


def test_one_place_reads_the_text_of_a_table() -> None:
    """What separates cells, and how they are encoded and typed, is decided once."""
    readers = re.compile(r"\bcsv\.(reader|DictReader)\(|read_csv\(|loadtxt\(|genfromtxt\(|csv\.open_csv\(")
    assert {path for path, text in FILES.items() if readers.search(text)} == {"readers/tables.py"}


def test_students_t_around_an_estimate_stands_once() -> None:
    """Tails, intervals and p-values of an estimate and its error come from the law of ``student``, wherever they are shown."""
    takers = {path for path, text in FILES.items() if re.search(r"\b(stdtr|stdtrit|student_\w+)\(", text)}
    assert {path for path in takers if not path.startswith("numerics/")} == set(TAKES_STUDENT)


def test_the_words_of_verdicts_are_listed_once() -> None:
    """A second list would show other words, or another order."""
    words = re.compile(r"[\[({]\s*" + r",\s*".join(f'"{word}"' for word in VERDICTS[:3]))
    assert {path for path, text in FILES.items() if words.search(text)} == {"numerics/law.py"}


def test_docstrings_name_the_thing() -> None:
    """A docstring starts with the noun or the verb of what it is about, not with a question word."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    texts = [
        (path, ast.get_docstring(node) or "")
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    ]
    assert [(path, text) for path, text in texts if re.match(r"(What|Whether|How|Of|Where|That|The same|Likewise)\b", text)] == []


def test_every_package_has_its_row_in_the_page_of_architecture() -> None:
    """A newcomer finds the package in docs/architecture.md, and its files by their names."""
    folders = {path[: path.rfind("/") + 1] or "tiebreak/" for path in FILES}
    assert {row[0] for row in rows_below("docs/architecture.md", "## Packages")} == folders


def test_formulas_stand_where_the_page_says() -> None:
    """Each function of docs/formulas.md is public, and so found by its file."""
    homes = {name: home for home, name in PUBLIC}
    for names in rows_below("docs/formulas.md", "# Formulas of the methods"):
        assert all(homes.get(name, "").startswith("tiebreak.") for name in names), names
