# completion.bash - bash completion of romio-lustre's commands
# shellcheck shell=bash
#
# Commands and options are those that --help prints when the key is pressed, so
# the completion is always that of the installed version.

_romio_lustre_options() {
    "$@" --help 2>/dev/null | tr -s ' ,|[]()=`"' '\n' | grep -E '^--?[A-Za-z]'
}

_romio_lustre() {
    local tool=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} words
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        words=$("$tool" --help 2>/dev/null |
            awk '/^  [a-z]+( |$)/ { print $1 }')
        words="$words --help --version"
    elif [[ $word == -* ]]; then
        words=$(_romio_lustre_options "$tool" "${COMP_WORDS[1]}")
    else
        # a file or, after "run", a command: as bash does by default
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        [[ ${COMP_WORDS[1]} != run || -z $word ]] ||
            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -F _romio_lustre romio-lustre lustre-sim lioprof lbench
