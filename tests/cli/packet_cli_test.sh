#!/bin/sh
# Hypercubes and packets from the command line: bad input, the paper's figures, and what is printed of them.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

wrong 2 "n=12 is not a power of two; the nearest are 8 and 16" net cube:n=12
wrong 2 "order=2x2x0 contains a dimension twice" net cube:n=8,order=2x2x0
wrong 2 "routing bitfix needs bit fixing (a hypercube, cube:n=...)" sim fattree:n=8 randperm packet --routing bitfix
wrong 2 "use phase2=async" sim cube:n=8,ports=all poisson:load=0.1 packet --routing valiant
wrong 2 "need a batch" sim cube:n=8,ports=all poisson:load=0.1 packet:sets=1
wrong 2 "packets support at most 2^32 links" sim cube:n=2^28 uniform:m=1 packet
printf 'source,destination\n0,1\n0,9\n' >far.csv
wrong 2 "far.csv:3: " sim cube:n=8,ports=all messages:far.csv packet
printf 'source,destination\n0,5\n0,5\n1,5\n' >two.csv # two from one endpoint are fine
right '"metric": "steps", "unit": "steps", "mean": 3,' sim cube:n=8,ports=all messages:two.csv packet --json

"$bough" net cube:n=16,ports=all -o cube.json || fail "no export"
grep -q '"name": "v0110"' cube.json || fail "cube.json does not name v0110"
right "longest     10 links" net cube:n=1024,ports=all --check

# Bit reversal on 2^10 nodes: 2^4 + 5 steps, exactly; the routing is the network's own.
right "routing bitfix" sim cube:n=1024,ports=all bitrev packet
grep -q '^packet  steps  *21  *exact' out || fail "bitrev: $(cat out)"
right '"routings": [{"spec": "bitfix"}]' sim cube:n=1024,ports=all bitrev packet --json
right "phase_steps[2]" sim cube:n=64,ports=all randperm packet:verify=1 --routing valiant --trials 5
also "checked[claim 3]" "checked[claim 4]" "checked[claim 5]" "over_4d"

# The same for any number of threads.
"$bough" sim cube:n=256,ports=all randperm packet:queue=random --routing valiant:phase2=async --trials 40 --threads 1 --json >one
"$bough" sim cube:n=256,ports=all randperm packet:queue=random --routing valiant:phase2=async --trials 40 --threads 3 --json >three
cmp one three || fail "threads change the result"

right "packet" list packet
also "fifo|lifo|farthest|random" "valiant1982"
echo "packet_cli_test: all passed"
