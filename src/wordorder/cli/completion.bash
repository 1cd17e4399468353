_wordorder() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" part
  for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $part" in
%(commands)s
    esac
  done
  local offered=""
  case "$command $before" in
%(values)s
  esac
  if [ -z "$offered" ]; then
    case "$command" in
%(words)s
    esac
    if [ "${word:0:1}" = "-" ]; then
      case "$command" in
%(options)s
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o default -F _wordorder wordorder
