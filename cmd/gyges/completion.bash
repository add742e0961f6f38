# bash completion for gyges
_gyges() {
  local IFS=$'\n' line="${COMP_LINE:0:COMP_POINT}"
  local word="${line##*[[:space:]]}"
  COMPREPLY=($(gyges completion bash --line "$line"))
  COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*[=:]}"}"}")
}
complete -o default -o bashdefault -F _gyges gyges
