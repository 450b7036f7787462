"""Completion of sunward's command line in bash, zsh and fish: scripts made once, from the parser.

Must never start Python while somebody waits for the Tab key. That, and fish, is why no library writes them: argcomplete
asks the program at every Tab, and shtab knows no fish.
"""

from collections.abc import Callable, Mapping

from sunward.manual import Argument, Page, pages

_FILES = ("FILE", "MATCH", "SOCKET")
"""What stands for a value that is a file."""
_FOLDERS = ("DIR",)


def bash() -> str:
    """Return the script for bash."""
    top, commands = pages()
    values = [
        f"        {'|'.join(f'{page.name}:{name}' for name in flag.spellings)}) {_bash_value(flag)}; return ;;"
        for page in commands
        for flag in page.flags
        if flag.value
    ]
    words = [f'        {page.name}) words="{" ".join(_spellings(page))}"{_bash_operand(page)} ;;' for page in commands]
    lines = [
        "# bash completion for sunward: put   source <(sunward completion bash)   into ~/.bashrc",
        "_sunward_files() {",
        "    local IFS=$'\\n'  # names may have blanks",
        "    compopt -o filenames 2>/dev/null",
        '    COMPREPLY+=($(compgen "$1" -- "$2"))',
        "}",
        "_sunward() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD - 1]}" command="" word words',
        "    COMPREPLY=()",
        '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        '        case "$word" in -*) ;; *) command="$word"; break ;; esac',
        "    done",
        '    case "$command:$previous" in',
        *values,
        "    esac",
        '    case "$command" in',
        f'        "") words="{" ".join([page.name for page in commands] + _spellings(top))}" ;;',
        *words,
        "        *) return ;;",
        "    esac",
        '    COMPREPLY+=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -F _sunward sunward",
    ]
    return "\n".join(lines) + "\n"


def _bash_value(argument: Argument) -> str:
    """Return the command that proposes an argument's values."""
    kind = {**dict.fromkeys(_FILES, "-f"), **dict.fromkeys(_FOLDERS, "-d")}.get(argument.value)
    if argument.choices:
        return f'COMPREPLY+=($(compgen -W "{" ".join(argument.choices)}" -- "$current"))'
    return f'_sunward_files {kind} "$current"' if kind else ":"


def _bash_operand(page: Page) -> str:
    return "".join(f"; {proposal}" for operand in page.operands if (proposal := _bash_value(operand)) != ":")


def zsh() -> str:
    """Return the script for zsh."""
    top, commands = pages()
    described = [f"        {_quoted(f'{page.name}:{page.help}')}" for page in commands]
    cases = [
        line
        for page in commands
        for line in (
            f"                {page.name})",
            "                    _arguments \\",
            *(f"                        {_zsh_argument(argument)} \\" for argument in page.arguments),
            "                    ;;",
        )
    ]
    lines = [
        "#compdef sunward",
        "# zsh completion for sunward: put   source <(sunward completion zsh)   into ~/.zshrc, after compinit",
        "_sunward() {",
        "    local context state line",
        "    local -a commands=(",
        *described,
        "    )",
        "    _arguments -C \\",
        *(f"        {_zsh_argument(argument)} \\" for argument in top.arguments),
        "        '1:command:->command' '*::argument:->argument'",
        '    case "$state" in',
        "        command) _describe command commands ;;",
        "        argument)",
        '            case "$line[1]" in',
        *cases,
        "            esac",
        "            ;;",
        "    esac",
        "}",
        'if [ "$funcstack[1]" = _sunward ]; then _sunward "$@"; else compdef _sunward sunward; fi',
    ]
    return "\n".join(lines) + "\n"


def _zsh_argument(argument: Argument) -> str:
    """Return a specification for `_arguments` (zshcompsys(1))."""
    special = str.maketrans({character: f"\\{character}" for character in "[]:\\"})
    told, value = argument.help.translate(special), argument.value.translate(special)
    if argument.choices:
        action = f"({' '.join(argument.choices)})"
    else:
        action = {**dict.fromkeys(_FILES, "_files"), **dict.fromkeys(_FOLDERS, "_files -/")}.get(argument.value, "")
    if not argument.spellings:
        return _quoted(f":{value}:{action}" if not argument.optional else f"::{value}:{action}")
    excluded = f"({' '.join(argument.spellings)})"
    takes = f":{value}:{action}" if argument.value else ""
    return " ".join(_quoted(f"{excluded}{name}[{told}]{takes}") for name in argument.spellings)


def fish() -> str:
    """Return the script for fish."""
    top, commands = pages()
    lines = ["# fish completion for sunward: sunward completion fish > ~/.config/fish/completions/sunward.fish"]
    lines += ["complete -c sunward -f", *(f"complete -c sunward {_fish_flag(flag)}" for flag in top.flags)]
    for page in commands:
        lines.append(f"complete -c sunward -n __fish_use_subcommand -a {page.name} -d {_quoted(page.help)}")
        chosen = f"complete -c sunward -n '__fish_seen_subcommand_from {page.name}'"
        lines += [f"{chosen} {_fish_flag(flag)}" for flag in page.flags]
        lines += [f"{chosen}{taken}" for operand in page.operands if (taken := _fish_value(operand))]
    return "\n".join(lines) + "\n"


def _fish_flag(flag: Argument) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.spellings)
    return f"{names}{' -r' if flag.value else ''}{_fish_value(flag)} -d {_quoted(flag.help)}"


def _fish_value(argument: Argument) -> str:
    if argument.choices:
        return f" -a {_quoted(' '.join(argument.choices))}"
    return " -F" if argument.value in (*_FILES, *_FOLDERS) else ""


def _spellings(page: Page) -> list[str]:
    return [name for flag in page.flags for name in flag.spellings]


def _quoted(text: str) -> str:
    """Return text in single quotes, which all three shells take as it is; an apostrophe becomes a typographic one."""
    return "'" + text.replace("'", "\u2019") + "'"


SHELLS: Mapping[str, Callable[[], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""The script for each shell."""
