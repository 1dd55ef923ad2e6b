# Input: the answer names what bounds it; a note says what nobody says, and what has no effect.
read='--set dataset.sample_bytes=1e6 --set dataset.encoding=jpeg'
dtsim in/small.json --engine fluid --set devices=[4] $read --set platform.node.cores=4 --set stack.input.decode_core_s_per_byte=1e-7
dtsim --explain in/small.json --engine fluid --set devices=[4] --set dataset.sample_bytes=1e6 --set stack.input.feed_s=1e-3 | grep -A5 Why
dtsim --explain in/small.json --engine fluid --set devices=[4] --set dataset.sample_bytes=1e6 --set 'platform.storage={"node_bytes_per_s": 1e8}' | grep -A5 Why
dtsim in/small.json --engine fluid --set devices=[1] $read 2>&1 >/dev/null
dtsim in/small.json --engine fluid --set devices=[1] $read --set stack.input.decode_core_s_per_byte=1e-7 2>&1 >/dev/null
dtsim in/small.json --engine fluid --set devices=[1] --set platform.node.cores=4 --set stack.input.feed_s=1 2>&1 >/dev/null
dtsim in/small.json --engine fluid --set dataset.encoding=jpeg
dtsim in/small.json --engine fluid --set stack.input.decode_core_s=1
dtsim in/small.json --engine fluid --set platform.node.core=4
