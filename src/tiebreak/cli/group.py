"""The command line as click sees it; each command is imported when it is used."""

import os
from collections.abc import Sequence
from importlib import import_module

import click

from tiebreak.cli import COMMANDS, SHARED, help_page
from tiebreak.cli.options import found_in, help_option, show
from tiebreak.cli.process import EXIT_OK, CommandError


class LazyGroup(click.Group):
    """A group that knows the names of its commands, and imports the one that is used."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"tiebreak.cli.{SHARED.get(cmd_name, name)}"), f"{name}_command")
        command.short_help = COMMANDS[cmd_name]
        return command

    def get_help(self, ctx: click.Context) -> str:
        """The page that `main` prints without loading click."""
        return help_page()


tiebreak = LazyGroup(
    "tiebreak",
    commands=dict.fromkeys(COMMANDS, click.Command(None)),  # their names; `get_command` makes them
    context_settings={"max_content_width": 100},
    params=[
        click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=show),
        click.Option(["--traceback"], is_flag=True, expose_value=False),  # `process` looks for it
    ],
)
help_option(tiebreak)


def as_command(arguments: Sequence[str]) -> list[str]:
    """The arguments with the command that a folder or a file in the place of one stands for."""
    first = arguments[0] if arguments else ""
    if first in COMMANDS or first.startswith("-") or not os.path.exists(first):  # noqa: PTH110
        return list(arguments)
    from tiebreak.readers.folder import with_folders

    kinds = {file.kind for found in found_in(with_folders([first])) for file in found.files}
    return ["rate" if "battles" in kinds and kinds.isdisjoint(("log", "items", "scores", "answer")) else "compare", *arguments]


def invoke(arguments: Sequence[str]) -> int:
    """Run the command that the arguments name and return its exit code.

    Parameters
    ----------
    arguments : sequence of str

    Raises
    ------
    CommandError
        Wrong use.
    """
    typed = as_command(arguments)
    try:
        with tiebreak.make_context("tiebreak", typed) as context:
            tiebreak.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        raise CommandError(f"a command is needed.\n\n{error.ctx.get_help()}") from None
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else " ".join(["tiebreak", *[each for each in typed if each in COMMANDS][:1]])
        raise CommandError(f"{error.format_message()}\nSee '{path} --help'.") from error
    return EXIT_OK
