#!/bin/sh
# Lists the targets of makefiles. $1: groups; further arguments: makefiles.
# A target is "name: … ## Group: description", or "## Group*: …" if it needs the running stack.
groups=$1
shift
awk -v groups="$groups" -v columns=80 '
  match($0, /^[a-z][a-z-]*:.*## [A-Z][a-z]+[*]?: /) {
    name = substr($0, 1, index($0, ":") - 1)
    text = substr($0, RLENGTH + 1)
    gsub(/[$][$]/, "$", text)
    group = substr($0, 1, RLENGTH - 2)
    sub(/.*## /, "", group)
    mark = sub(/[*]$/, "", group) ? "*" : " "
    all += 1
    if (index(" " groups " ", " " group " ") == 0) next
    shown += 1
    names[shown] = name; texts[shown] = text; marks[shown] = mark; groupOf[shown] = group
    if (length(name) > width && length(name) <= 18) width = length(name)
  }
  END {
    count = split(groups, order, " ")
    for (place = 1; place <= count; place++) {
      printf "\n%s\n", order[place]
      for (i = 1; i <= shown; i++) if (groupOf[i] == order[place]) list(i)
    }
    if (shown < all) printf "\nmake help-all lists all %d targets, ./pipeline --help the commands behind them.\n", all
    else printf "\n* needs the running stack. Without a stack: ./pipeline --help\n"
  }
  function list(i, words, count, line, word) {
    line = sprintf("  %s %-" width "s ", marks[i], names[i])
    # A long name has its own line.
    if (length(names[i]) > width) { sub(/ $/, "", line); print line; line = sprintf("%" (width + 5) "s", "") }
    count = split(texts[i], words, " ")
    for (word = 1; word <= count; word++) {
      if (length(line " " words[word]) > columns) {
        print line
        line = sprintf("%" (width + 5) "s", "")
      }
      line = line " " words[word]
    }
    print line
  }
' "$@"
