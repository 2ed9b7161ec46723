#!/bin/sh
# Runs every line of tests/cli/cases.txt and compares what the program prints with tests/cli/NAME.out.
#   tests/cli/run.sh [--update] [NAME...]      --update rewrites the .out files; review the difference before a commit
# The program is build/shardtop, or $SHARDTOP.
set -eu
cd "$(dirname "$0")/../.."
program=${SHARDTOP:-build/shardtop}
export LC_ALL=C.UTF-8 TZ=UTC TERM=dumb
unset NO_COLOR COLUMNS LINES XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME || true

update=false
if [ "${1:-}" = --update ]; then
    update=true
    shift
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME="$scratch"

# What a case prints: standard output, then standard error and the exit status where there is something to say.
print_case() {
    input=/dev/null
    [ -f "tests/cli/$1.in" ] && input="tests/cli/$1.in"
    status=0
    eval "set -- $2"
    "$program" "$@" <"$input" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?
    sed 's/"commit": "[^"]*"/"commit": null/' "$scratch/stdout"
    sed 's/^/stderr: /' "$scratch/stderr"
    [ "$status" = 0 ] || echo "exit status $status"
    [ "$status" -le 3 ] # a signal is never expected
}

is_wanted() {
    name=$1
    shift
    [ $# = 0 ] && return 0
    for wanted in "$@"; do
        [ "$wanted" = "$name" ] && return 0
    done
    return 1
}

failed=0
count=0
while read -r name arguments; do
    case $name in '' | '#'*) continue ;; esac
    is_wanted "$name" "$@" || continue
    count=$((count + 1))
    expected=tests/cli/$name.out
    if ! print_case "$name" "$arguments" >"$scratch/actual"; then
        failed=$((failed + 1))
        echo "FAILED $name: shardtop $arguments"
        tail -n 2 "$scratch/actual"
    elif $update; then
        cp "$scratch/actual" "$expected"
    elif ! diff -u "$expected" "$scratch/actual" >"$scratch/diff" 2>&1; then
        failed=$((failed + 1))
        echo "FAILED $name: shardtop $arguments"
        head -n 40 "$scratch/diff"
    fi
done <tests/cli/cases.txt

[ "$count" -gt 0 ] || { echo "no such case"; exit 2; }
echo "tests/cli: $count cases, $failed failed"
[ "$failed" = 0 ]
