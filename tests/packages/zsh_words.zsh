# zsh -f zsh_words.zsh FOLDER LINE…: what zsh offers for the last word of each LINE, with the functions in FOLDER. Prints
# LINE:LINE, then the offers, one a line.
zmodload zsh/zpty
zpty inner zsh -f -i
inside() { zpty -w inner "$1" }
inside 'PROMPT= RPROMPT=; unsetopt zle_bracketed_paste 2>/dev/null; setopt no_list_beep; stty -echo 2>/dev/null'
inside "fpath=(${(q)1} \$fpath); autoload -Uz compinit && compinit -u -D; zstyle ':completion:*' verbose no"
# All that is offered goes through compadd, which is asked what of it fits.
inside 'compadd() {
    if [[ " $* " == *" -"[OAD]" "* ]]; then builtin compadd "$@"; return; fi
    local -a fits; builtin compadd -A fits "$@"; (( $#fits )) && print -rl -- "OFFER:"$^fits; builtin compadd "$@"
}'
# The editor itself says when it listens: what is typed before, the terminal would take for its own.
inside 'listen() { print -r -- "LIS""TENS" }; zle -N zle-line-init listen
    say-end() { print -r -- "ENDOF""OFFERS"; BUFFER= }; zle -N say-end; bindkey "^T" say-end; bindkey "^I" list-choices'
local line
while zpty -r inner line; do [[ $line == *LISTENS* ]] && break; done
for each in "${@[2,-1]}"; do
    print -r -- "LINE:$each"
    zpty -w -n inner "$each"$'\t\x14'
    while zpty -r inner line; do
        [[ $line == *ENDOFOFFERS* ]] && break
        [[ $line == *OFFER:* ]] && print -r -- "${${line#*OFFER:}%%[[:space:]]*}"
    done
done
zpty -d inner
