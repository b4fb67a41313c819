"""stub"""

from typing import Any, NamedTuple


class Log(NamedTuple):
    columns: dict[str, list[Any]]
    metric: str | None = None
    remark: str = ""
    unit: str = "item"
    lower_is_better: bool | None = None
    time: str = ""
    settings: tuple = ()
    is_whole: bool = True
    is_mean_of_tasks: bool = False
    is_named_by_file: bool = False


def is_log(path):
    return False


def read_log(path, name, metric=None, *, is_main=False):
    raise NotImplementedError
