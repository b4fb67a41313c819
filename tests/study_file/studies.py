"""Study files for tests."""

from __future__ import annotations

from pathlib import Path

STUDY = """\
name = "flowers"
rope = 0.01
metrics = ["accuracy"]

[data]
source = "sklearn:iris"

[cv]
kind = "repeated-stratified"
n_folds = 5
n_repeats = 2

[models.logistic]
import = "sklearn.linear_model:LogisticRegression"
params = { C = 0.5 }

[models.svm]
steps = [
    { import = "sklearn.preprocessing:StandardScaler" },
    { import = "sklearn.svm:SVC", params = { gamma = "scale" } },
]
grid = { svc__C = [0.1, 10] }
"""

TABLE = """\
patient,site,age,weight,diagnosis
1,a,34,1.0,benign
1,b,35,0.5,benign
2,a,61,1.0,malignant
2,b,62,0.5,malignant
"""


def write_study(folder: Path, text: str = STUDY, old: str = "", new: str = "") -> Path:
    """The study, with one part of it put in another way."""
    assert old in text
    path = folder / "study.toml"
    path.write_text(text.replace(old, new, 1) if old else text, encoding="utf-8")
    return path


def of_table(data: str, table: str = TABLE, folder: Path | None = None, file: str = "table.csv") -> str:
    """A study of a table in a file, which is written too where a folder is given."""
    if folder is not None:
        (folder / file).write_text(table, encoding="utf-8")
    return f'[data]\nsource = "{file}"\n{data}\n[models.any]\nimport = "sklearn.dummy:DummyClassifier"\n'
