"""The tree as a whole: circles of imports, what stands once, pages that say where things are; `make lint` has the layers."""

import ast
import re
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import grimp
import pytest

from tiebreak.numerics.law import VERDICTS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "tiebreak"
FILES = {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in sorted(SOURCE.rglob("*.py"))}
PUBLIC = [
    (f"{home.replace('.', '/')}.py", name)
    for stub in SOURCE.rglob("*.pyi")
    for home, name in re.findall(r"^from tiebreak\.([\w.]*) import (\w+) as", stub.read_text(encoding="utf-8"), re.MULTILINE)
]
"""File and name of everything that stands in a stub."""
CLASSES = re.findall(r"^ *class (\w+)", "".join(FILES.values()), re.MULTILINE)
ONCE = {
    r"\bcsv\.(reader|DictReader)\(|read_csv\(|loadtxt\(|genfromtxt\(|csv\.open_csv\(": ["readers/tables.py"],
    r"[\[({]\s*" + r",\s*".join(f'"{word}"' for word in VERDICTS[:3]): ["numerics/law.py"],
    r"\b(stdtr|stdtrit|student_\w+)\(": [
        "audits/folds.py",  # a normal score of each group against Student's t
        "comparison/looks.py",  # the test of a rank correlation, which is no estimate with an error
        "comparison/procedures/corrected_t.py",  # the limit of a multiplier as splits grow in number
        "comparison/procedures/items.py",  # the quantile as a function of a number of runs to come
        "numerics/law.py",  # around an estimate: all others take it from there, as a law
        "statistics/auc.py",  # areas without a variance, joined from the limits of each
        "statistics/looks.py",  # bounds of a statistic that is looked at several times
        "statistics/posterior/hierarchical.py",  # Student's t is the prior's, integrated over a grid
        "statistics/skew.py",  # a test of symmetry, whose statistic is no estimate with an error
        "statistics/splits.py",  # the 5x2cv statistic, and its critical value
    ],
}
"""Files in which a pattern may stand: the text of a table is read, verdicts are listed, Student's t is taken."""


# One of pytest's workers runs these, and parses the tree.
pytestmark = pytest.mark.xdist_group("house")


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Each file of the package, parsed."""
    return {path: ast.parse(text) for path, text in FILES.items()}


def rows_below(page: str, heading: str) -> list[list[str]]:
    """Names in backticks in each cell of the rows of the first table below a heading."""
    part = (ROOT / page).read_text(encoding="utf-8").partition(f"{heading}\n")[2].partition("\n## ")[0]
    return [re.findall(r"`([^`]+)`", line) for line in [line for line in part.splitlines() if line.startswith("|")][2:]]


def test_no_circle_of_imports() -> None:
    """Imports within functions count, which hide a circle and do not open it; those for types do not."""
    graph = grimp.build_graph("tiebreak", exclude_type_checking_imports=True, cache_dir=None)
    TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}).prepare()


@pytest.mark.parametrize("pattern", ONCE, ids=["tables", "verdicts", "student"])
def test_what_is_decided_once_stands_once(pattern: str) -> None:
    """A second place would separate cells, word verdicts or take tails in another way."""
    assert [path for path, text in FILES.items() if re.search(pattern, text)] == ONCE[pattern]


def test_a_public_name_is_public_once_and_a_class_stands_once() -> None:
    """Two ways to the same thing make two kinds of code that do the same, and nobody tells two classes of one name apart."""
    for names in ([name for _, name in PUBLIC], [name for name in CLASSES if not name.startswith("_")]):
        assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_public_function_is_reached(trees: dict[str, ast.Module]) -> None:
    """A function that no other file uses is shown on a page beside the list of names; else it would be there for nobody."""
    used = defaultdict(set)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Name, ast.Attribute)):
                used[node.id if isinstance(node, ast.Name) else node.attr].add(path)
    pages = [page for page in (ROOT / "docs").rglob("*.md") if "generated" not in page.parts and page.name != "api.md"]
    shown = set(re.findall(r"\w+", "".join(page.read_text(encoding="utf-8") for page in pages)))
    assert [name for home, name in PUBLIC if name[0].islower() and not used[name] - {home} and name not in shown] == []


def test_what_is_returned_can_be_imported(trees: dict[str, ast.Module]) -> None:
    """Who writes a function that takes a result names its class, so every class that a public function returns is public."""
    hidden = {*CLASSES} - {name for _, name in PUBLIC}
    for home, name in PUBLIC:
        for node in trees[home].body if home in trees else ():
            if isinstance(node, ast.FunctionDef) and node.name == name and node.returns is not None:
                assert not hidden & {each.id for each in ast.walk(node.returns) if isinstance(each, ast.Name)}, f"{home}: {name}"


def test_docstrings_name_the_thing(trees: dict[str, ast.Module]) -> None:
    """A docstring starts with the noun or the verb of what it is about, not with a question word."""
    kinds, words = (ast.Module, ast.ClassDef, ast.FunctionDef), r"(What|Whether|How|Of|Where|That|The same|Likewise)\b"
    nodes = [(path, node) for path, tree in trees.items() for node in ast.walk(tree) if isinstance(node, kinds)]
    assert [(path, node) for path, node in nodes if re.match(words, ast.get_docstring(node) or "")] == []


def test_pages_say_where_things_are() -> None:
    """Each package has its row in docs/architecture.md; functions of docs/formulas.md stand in the file that is named there."""
    folders = {path[: path.rfind("/") + 1] or "tiebreak/" for path in FILES}
    assert {row[0] for row in rows_below("docs/architecture.md", "## Packages")} == folders
    rows = rows_below("docs/formulas.md", "# Formulas of the methods")
    assert [name for *names, file in rows for name in names if f"\ndef {name}(" not in FILES[file]] == []
