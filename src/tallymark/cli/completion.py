"""`tallymark completion`: what a shell needs to complete commands, options, metrics, columns and files."""

from __future__ import annotations

import sys

import click

from tallymark.cli import SETTINGS, examples

# Every script asks tallymark itself, so it stays right when tallymark is renewed. A line of the answer is a
# kind (plain, file or dir), the word and what it means, with tabs in between.
SCRIPTS = {
    "bash": r"""_tallymark_completion() {
    local kind word
    COMPREPLY=()
    while IFS=$'\t' read -r kind word _; do
        if [[ $kind == file ]]; then
            compopt -o default
        elif [[ $kind == dir ]]; then
            compopt -o dirnames
        else
            [[ $word == *[=:,/] ]] && compopt -o nospace
            word=$(printf %q "$word")
            COMPREPLY+=("${word//\\,/,}")
        fi
    done < <(_TALLYMARK_COMPLETE=bash _TALLYMARK_LINE="${COMP_LINE:0:COMP_POINT}" \
        _TALLYMARK_BREAKS="$COMP_WORDBREAKS" "$1" 2> /dev/null)
}
complete -o nosort -F _tallymark_completion tallymark
""",
    "zsh": r"""#compdef tallymark
_tallymark_completion() {
    local kind word meaning
    local -a closed open closed_shown open_shown
    while IFS=$'\t' read -r kind word meaning; do
        if [[ $kind == file ]]; then
            _files
        elif [[ $kind == dir ]]; then
            _files -/
        elif [[ $word == *[=:,/] ]]; then
            open+=("$word")
            open_shown+=("$word${meaning:+  $meaning}")
        else
            closed+=("$word")
            closed_shown+=("$word${meaning:+  $meaning}")
        fi
    done < <(_TALLYMARK_COMPLETE=zsh _TALLYMARK_LINE="${(j: :)words[1,CURRENT-1]} $PREFIX" \
        ${words[1]} 2> /dev/null)
    (( $#closed )) && compadd -l -V tallymark -d closed_shown -a closed
    (( $#open )) && compadd -l -V tallymark -S '' -d open_shown -a open
}
if [[ $funcstack[1] == _tallymark ]]; then
    _tallymark_completion "$@"
else
    compdef _tallymark_completion tallymark
fi
""",
    "fish": r"""function _tallymark_completion
    set -lx _TALLYMARK_COMPLETE fish
    set -lx _TALLYMARK_LINE (commandline --cut-at-cursor --current-process | string collect)
    for line in (command tallymark 2> /dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case file
                __fish_complete_path (commandline --current-token)
            case dir
                __fish_complete_directories (commandline --current-token)
            case '*'
                printf '%s\t%s\n' $parts[2] $parts[3]
        end
    end
end
complete --command tallymark --no-files --keep-order --arguments '(_tallymark_completion)'
""",
}

EXAMPLES = examples("tallymark completion bash", "tallymark completion zsh", "tallymark completion fish")


@click.command("completion", context_settings=SETTINGS, epilog=EXAMPLES)
@click.argument("shell", metavar="SHELL", type=click.Choice(list(SCRIPTS)))
def command(*, shell: str) -> None:
    """Print what makes SHELL (bash from 4.4 on, zsh or fish) complete a line that begins with tallymark when
    you press the tab key: commands, options and their choices, metrics, files, and the columns of the file
    that the line names. Put one line into the file that your shell reads when it starts, and open a new
    shell:

    \b
    ~/.bashrc                    eval "$(tallymark completion bash)"
    ~/.zshrc, below compinit     eval "$(tallymark completion zsh)"
    ~/.config/fish/config.fish   tallymark completion fish | source
    """
    sys.stdout.write(SCRIPTS[shell])
