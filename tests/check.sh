# check.sh -- what scripts of tests share: sourced by them. They end with `checked`.
passed=0 failed=0

# check WHAT CONDITION...
check() {
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $what"
        shown
    fi
}

# What is shown of a check that failed: nothing, where a script has no function of its own.
shown() { :; }

# The closing line; the exit status.
checked() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
