# fish completion for gyges
function __gyges_words
  gyges completion fish --line (commandline -cp)
end
complete -c gyges -n 'test -n "$(__gyges_words)"' -f -a '(__gyges_words)'
