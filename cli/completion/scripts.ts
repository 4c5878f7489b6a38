/**
 * Scripts for bash and zsh. The scripts of @bomb.sh/tab for them need a package that many machines
 * lack (bash), fail when they are read again (bash), end at the first colon of a context such as
 * `arn:aws:eks:...`, and complete nothing behind `--context=` (bash).
 *
 * `millwright complete -- WORDS` answers with a candidate a line, then a tab and what it means. The
 * last line begins with a colon.
 */

/** Read by `source`, also again. */
export const bashScript = `# bash completion for millwright
__millwright_complete() {
    local line=\${COMP_LINE:0:COMP_POINT}
    local current=\${line##*[[:space:]]} arguments=\${line#*[[:space:]]}
    [[ -z $current ]] && arguments+=" ''"
    # Candidates for the value of an option come without its name.
    local option=''
    [[ $current == --*=* ]] && option=\${current%%=*}=
    # readline replaces only what stands behind the last of the characters that separate words.
    local replaced=$current separator
    for separator in = :; do
        [[ $COMP_WORDBREAKS == *$separator* ]] && replaced=\${replaced##*$separator}
    done
    local kept=$((\${#current} - \${#replaced})) candidate
    COMPREPLY=()
    # eval expands variables and ~ as the command would get them.
    while IFS=$'\\t' read -r candidate _; do
        [[ $candidate == :* || $option$candidate != "$current"* ]] && continue
        candidate=$option$candidate
        COMPREPLY+=("$(printf %q "\${candidate:kept}")")
    done < <(eval "millwright complete -- $arguments" 2>/dev/null)
}
complete -F __millwright_complete millwright`;

/** A file in `fpath`, or read by `source` after `compinit`. */
export const zshScript = `#compdef millwright
# zsh completion for millwright
_millwright() {
    local -a lines candidates
    local line value about
    lines=("\${(@f)$(millwright complete -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
    for line in $lines; do
        [[ $line == :* ]] && continue
        value=\${line%%$'\\t'*} about=\${line#*$'\\t'}
        # _describe takes what stands behind the first colon for what it means.
        candidates+=("\${value//:/\\\\:}\${about:+:$about}")
    done
    # Candidates for the value of an option come without its name.
    [[ $PREFIX == --*=* ]] && compset -P 1 '*='
    _describe millwright candidates
}
if [[ $funcstack[1] == _millwright ]]; then
    _millwright "$@"
else
    compdef _millwright millwright
fi`;
