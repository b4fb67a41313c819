"""Text from outside on its way out: names, file names and messages of others, so that what is printed can only be read.

Every page, message and figure passes its texts through here. In data (frames, JSON, Parquet, stores) names stay as they are.
"""

import re

_UNSEEN = (
    # Unicode's categories Cc, Zl, Zp and Cs: controls (escape sequences of terminals among them), line ends, half surrogate pairs
    r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
    # Cf: what turns the direction of writing, joins, or takes no width
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff"
    r"\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    # code points that are no characters, which XML refuses: a report has its drawings in it
    r"\ufdd0-\ufdef\ufffe\uffff"
    + "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
    # letters and marks that show nothing
    + r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2065\u3164\uffa0"
)
# texts, which `re` compiles when one is first needed: most output is plain ASCII, and needs none of them
_ANY = f"[{_UNSEEN}]"
_ANY_BUT_LINE_ENDS = f"(?!\n)[{_UNSEEN}]"
_BLANK = f"[{_UNSEEN}\\s\u2800]*"
_HALF = "[\ud800-\udfff]"

HIDDEN = "***"
_CREDENTIALS = r"""(?ix)
        (?: (?: : | \bpass | \bpwd | \bsecret | \btoken ) \S* @    # me:PASSWORD@host
        | \b (?: (?:ssl)? pass (?:word|wd|file)? | pwd | \w*secret\w* | \w*_key ) \s* =    # password=PASSWORD
        | % (?![0-9A-F]{2}) \S* @ )    # percent code that is none
"""
"""A password in a text that was meant as the address of a database, and is none that can be read."""


def without_password(text: str) -> str:
    """A path, or what was given instead of one: of what looks as if it held a password, the beginning only."""
    found = re.search(_CREDENTIALS, text)
    if found is None:
        return text
    return f"{re.split('[: ]', text[: found.start()], maxsplit=1)[0]}:{HIDDEN}"


def printable(text: str) -> str:
    r"""A text on one line: whatever cannot be seen, or changes how the rest is seen, as an escape such as ``\x1b``."""
    return text if text.isascii() and text.isprintable() else _escaped(_ANY, text)


def printable_lines(text: str) -> str:
    """A text of several lines as `printable` shows each, ended by line feeds."""
    return text if text.isascii() and text.replace("\n", "").isprintable() else _escaped(_ANY_BUT_LINE_ENDS, text)


def fault_of_name(name: str) -> str:
    """Reason why a name cannot be used, with how to go on; "" for one that can be read, and kept in a file."""
    if not name.isascii() and re.search(_HALF, name) is not None:
        return "holds half of a character (a lone surrogate), which no file can hold. Rename it."
    return "is blank. Give it one that can be read." if re.fullmatch(_BLANK, name) is not None else ""


def _escaped(unseen: str, text: str) -> str:
    """A text with an escape for each character that the pattern finds."""
    return re.sub(unseen, lambda found: found.group().encode("unicode_escape").decode("ascii"), text)
