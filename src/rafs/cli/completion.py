"""Shell completion, generated from the commands themselves.

shtab does the same and comes with DVC, but a plain installation of rafs has no DVC.
"""

import argparse
from collections.abc import Iterator

from rafs.pipeline.snakemake_compat import parser_actions, subparsers

SCRIPT = """# Completion of rafs: source <(rafs completion SHELL)
_rafs() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} option='' words='' i
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$current"))
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${{COMP_WORDS[i]}} in -*) option=${{COMP_WORDS[i]}} ;; esac
    done
    case "$current" in
    -*)
        case "$command" in
{options}
        esac ;;
    *)
        case "$command $option" in
{values}
        esac ;;
    esac
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    else
        COMPREPLY=($(compgen -f -- "$current"))
    fi
}}
complete -o filenames -F _rafs rafs
"""
ZSH = """# zsh understands completions of bash once this is loaded
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
"""


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of every command."""
    return subparsers(parser)


def bash(parser: argparse.ArgumentParser, hidden: tuple[str, ...] = ("job",)) -> str:
    """Return a script that completes commands, options, and values where they are known."""
    known = {name: sub for name, sub in commands(parser).items() if name not in hidden}
    options, values = [], []
    for name, sub in known.items():
        names = [text for action in parser_actions(sub) for text in action.option_strings]
        words = " ".join(text for text in names if text.startswith("--"))
        options.append(f"        {name}) words='{words}' ;;")
        values += [f"        {line}" for line in _values(name, sub)]
    return SCRIPT.format(
        commands=" ".join([*known, "--help", "--version"]),
        options="\n".join(options),
        values="\n".join(values),
    )


def zsh(parser: argparse.ArgumentParser) -> str:
    """Return the same script for zsh."""
    return ZSH + bash(parser)


def _values(command: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield a line per option whose values can be listed."""
    for action in parser_actions(parser):
        words = action.choices or getattr(action, "completes", tuple)()
        if words:
            place = action.option_strings[-1] if action.option_strings else ""
            yield f"'{command} {place}') words='{' '.join(map(str, words))}' ;;"
