dtsim in/small.json --set 'summary="one\nline \u001b[31m"'
