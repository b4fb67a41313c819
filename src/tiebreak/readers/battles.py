"""stub"""


class Battles: ...


def read_battles(*a, **k): ...
