"""Addresses of databases: which kind they are of, whether they can be read, and how they are shown without passwords."""

from __future__ import annotations

import re

from tiebreak.errors import InvalidParameterError

_SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql", "postgresql+psycopg": "postgresql"}
_HIDDEN = "***"

_URL = re.compile(
    r"""(?P<scheme>[A-Za-z][\w+.-]*)://
        (?:(?P<user>[^:@/?\#\s]*)(?P<password>:[^@/?\#\s]*)?@)?
        (?P<hosts>(?:\[[0-9A-Fa-f:.%]*\]|[^:@/?\#\s\[\],]*)(?::\d*)?(?:,(?:\[[0-9A-Fa-f:.%]*\]|[^:@/?\#\s\[\],]*)(?::\d*)?)*)
        (?P<database>/[^@/?\#\s]*)?
        (?P<options>\?[^@\#\s]*)?""",
    re.VERBOSE,
)
_SECRET_OPTION = re.compile(r"([?&](?:password|sslpassword|oauth_client_secret|scram_client_key|scram_server_key)=)[^&]*", re.I)


def is_postgres(source: object) -> bool:
    """Whether this is meant as the address of a PostgreSQL database."""
    return isinstance(source, str) and source.partition("://")[0].lower() in _SCHEMES and "://" in source


def masked(url: str) -> str:
    """The address without passwords. Of one that cannot be read only the beginning is shown: all of it may be password."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme.lower() == "sqlite":
        return url
    found = _URL.fullmatch(url)
    if found is None:
        return f"{scheme}://{_HIDDEN}"
    password = f":{_HIDDEN}" if found["password"] else ""
    user = "" if found["user"] is None else f"{found['user']}{password}@"
    options = _SECRET_OPTION.sub(rf"\1{_HIDDEN}", found["options"] or "")
    return f"{scheme}://{user}{found['hosts']}{found['database'] or ''}{options}"


def postgres_url(url: str) -> str:
    """The address as PostgreSQL's own library reads it.

    Raises
    ------
    InvalidParameterError
        It has parts that this library would take for others, such as a password with an @. What it says shows none of them.
    """
    found = _URL.fullmatch(url)
    if found is None:
        scheme = url.partition("://")[0]
        raise InvalidParameterError(
            f"'{scheme}://{_HIDDEN}' cannot be read as the address of a database. It is written "
            "postgresql://user:password@host:port/database?option=value; in user and password, characters such as @ : / ? # and "
            "% are written in percent code (@ as %40). The name of a run goes behind a # only where a run is asked for."
        )
    return _SCHEMES[found["scheme"].lower()] + url[found.end("scheme") :]


def option_names(url: str) -> list[str]:
    """The options behind the question mark, by name."""
    return [part.partition("=")[0] for part in url.partition("?")[2].split("&") if part]
