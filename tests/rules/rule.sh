# tests/rules/rule.sh - for checks written in bash: `rule NAME COMMAND...` counts, `close_rules` ends like a cmocka group.
passed=0 skipped=0
failures=() skips=()

rule() { # NAME COMMAND...: passes when the command says nothing and succeeds
    local out status
    out=$("${@:2}" 2>&1)
    status=$?
    if [ $status = 0 ] && [ -z "$out" ]; then
        passed=$((passed + 1))
        echo "[       OK ] $1"
    elif [ $status = 77 ]; then
        skipped=$((skipped + 1))
        skips+=("$1: $out")
    else
        echo "$out" | head -n 30
        echo "[  FAILED  ] $1"
        failures+=("$1")
    fi
}

close_rules() { # says what was passed over and what is broken; its status is that of all
    echo "[==========] $((passed + ${#failures[@]})) test(s) run."
    echo "[  PASSED  ] $passed test(s)."
    if [ $skipped != 0 ]; then
        echo "[  SKIPPED ] $skipped test(s), listed below:"
        printf '  %s\n' "${skips[@]}"
    fi
    if [ ${#failures[@]} != 0 ]; then
        echo "[  FAILED  ] ${#failures[@]} test(s), listed below:"
        printf '  %s\n' "${failures[@]}"
    fi
    [ ${#failures[@]} = 0 ]
}
