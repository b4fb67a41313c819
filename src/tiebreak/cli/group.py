"""The command line as click sees it; each command is imported when it is used."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

import click

from tiebreak.cli import COMMANDS, help_page, version_line
from tiebreak.cli.options import help_option
from tiebreak.cli.process import EXIT_OK, CommandError, emit


class LazyGroup(click.Group):
    """A group that knows the names of its commands, and imports the one that is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"tiebreak.cli.{module}"), f"{module}_command")
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; a name that is not known comes with the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = get_close_matches(args[0], COMMANDS, 1)
            ctx.fail(f"No such command {args[0]!r}.{f' Did you mean {near[0]!r}?' if near else ''}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The page that `main` prints without loading click."""
        return help_page()


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        emit(version_line() + "\n")
        context.exit()


@click.group(cls=LazyGroup, context_settings={"max_content_width": 100})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version)
@click.option("--traceback", is_flag=True, expose_value=False)  # `process` looks for it
@help_option
def tiebreak() -> None:
    """The page of help is in `tiebreak.cli`."""


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
    try:
        with tiebreak.make_context("tiebreak", list(arguments)) as context:
            tiebreak.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.exceptions.NoArgsIsHelpError as error:
        raise CommandError(f"a command is needed.\n\n{error.ctx.get_help()}") from None
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx else "tiebreak"
        raise CommandError(f"{error.format_message()}\nSee '{path} --help'.") from error
    except click.ClickException as error:
        raise CommandError(error.format_message()) from error
    return EXIT_OK
