# What cannot be seen, or turns the line around, is refused wherever words come in (U+009B, U+202E, U+2066, U+2028).
for c in '\302\233' '\342\200\256' '\342\201\246' '\342\200\250' '\357\273\277'; do
    dtsim in/small.json --engine fluid --set "summary=$(printf "a${c}b")"
    dtsim in/small.json --engine fluid --set 'strategies[0].name'="$(printf "a${c}b")"
done
