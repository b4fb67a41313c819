"""``tiebreak completion``: the script by which a shell completes commands, options and their values."""

import click

from tiebreak.cli.options import help_option
from tiebreak.cli.process import CommandError, emit

VARIABLE = "_TIEBREAK_COMPLETE"
"""Set by that script when the shell asks what could be typed next."""

SHELLS = ("bash", "zsh", "fish")

EPILOG = """\b
Examples:
  tiebreak completion bash > ~/.local/share/bash-completion/completions/tiebreak
  tiebreak completion zsh > ~/.zfunc/_tiebreak
  tiebreak completion fish > ~/.config/fish/completions/tiebreak.fish
"""


@click.command("completion", epilog=EPILOG, short_help="Write the script that completes commands in a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@help_option
def completion_command(shell: str) -> None:
    """Write the script by which SHELL completes commands, options and their values. New shells know it once it is in place."""
    from click.shell_completion import get_completion_class

    from tiebreak.cli.group import tiebreak

    kind = get_completion_class(shell)
    if kind is None:
        raise CommandError(f"the installed click completes nothing in {shell}.")
    completion = kind(tiebreak, {}, "tiebreak", VARIABLE)
    emit(completion.source_template % completion.source_vars() + "\n")


def complete(instruction: str) -> int:
    """Answer a shell that asks what could be typed next, and return the exit code."""
    from click.shell_completion import shell_complete

    from tiebreak.cli.group import tiebreak

    return shell_complete(tiebreak, {}, "tiebreak", VARIABLE, instruction)
