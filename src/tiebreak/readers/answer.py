"""stub"""


def is_answer(x):
    return False


def reference_of(x):
    return None


def read_answer(*a):
    raise NotImplementedError
