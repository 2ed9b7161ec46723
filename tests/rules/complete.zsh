# tests/rules/complete.zsh - reads lines, presses Tab behind each in a zsh of its own, prints the last word that stands there then.
# Needs _shardtop in $fpath and zsh/zpty.
zmodload zsh/zpty && zpty asked zsh -f -i || exit
zpty -w asked 'PS1= TERM=dumb; autoload -Uz compinit && compinit -D -u'
zpty -w asked 'tell() { zle complete-word; print -r -- "<<${${BUFFER% }##* }>>"; BUFFER=; zle -I }'
zpty -w asked 'zle -N tell; bindkey "^I" tell; print rea""dy'
zpty -r asked answer '*ready*'
while read -r line; do
    zpty -n -w asked "$line"$'\t'
    zpty -r asked answer '*<<*>>*'
    print -r -- "${${answer##*<<}%%>>*}"
done
