#compdef gyges
# zsh completion for gyges
_gyges() {
  local -a found=("${(@f)$(gyges completion zsh --line "${(j: :)words[1,CURRENT]}")}")
  if [[ -n $found ]]; then compadd -a found; else _files; fi
}
if [[ $funcstack[1] == _gyges ]]; then _gyges "$@"; else compdef _gyges gyges; fi
