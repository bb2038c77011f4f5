#!/bin/sh
# What numbers say: every ratio is of its own metric, and what was not measured or compared is not printed as a number.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# A table of two metrics: the rounds of the methods differ, their messages do not.
cat >two.yaml <<'YAML'
network: fattree:n=64
traffic: randperm
methods: [circuit:mode=rounds, 'circuit:mode=rounds,release=end']
trials: 20
compare: true
plot: {y: [attempts, messages]}
YAML
"$bough" run two.yaml >out
also "ratio: of the metric to its left, relative to the point's first method"
[ "$(grep -o ' ratio' out | wc -l)" -eq 2 ] || fail "not a ratio for each metric: $(cat out)"
grep -qE '^circuit:mode=rounds,release=end .* (0|1)\.[0-9]{3} .* 1\.000 +20' out || fail "each metric's own ratio: $(cat out)"
if grep -qE '^circuit:mode=rounds,release=end .* 1\.000 .* 1\.000' out; then fail "the ratio of messages stands for that of attempts"; fi

# Queueing has no latency beyond its saturation; worms have none beyond theirs.
"$bough" sim bft:n=64 poisson:load=0.2,flits=16 worm:messages=2000 queueing --trials 4 >out 2>err
also "queueing (saturated) / worm"
if grep -qF -e "- +-" -e "difference - " out; then fail "a comparison of nothing: $(cat out)"; fi
right "latency is not compared: queueing is saturated" sim bft:n=64 poisson:load=0.163,flits=16 worm:messages=2000 queueing --trials 4

# Quantiles over trials: only with enough trials; limits by number and by an exact method.
right "rounds  99.9 %                            -  7 or more              1000, needs 3688" sim fattree:n=64 uniform circuit bound \
	--trials 1000 --quantiles rounds --quantiles latency --above rounds:bound --above rounds:7
also "rounds  99 %                              6  6 .. 7                 1000"
also "rounds  above 170.2 (bound:eps=0.01)      0  at most 0.003682       0 of 1000"
also "rounds  above 7                       0.002  0.0002423 .. 0.007206  2 of 1000"
also "latency: no method has this metric in random trials"
wrong 2 "quantiles: '0' is not between 0 and 100" sim fattree:n=64 uniform circuit --quantiles rounds:0
wrong 2 "above: 'bound' is no number, and no exact method of that name is asked" sim fattree:n=64 uniform circuit --above rounds:bound
cat >pooled.yaml <<'YAML'
network: fattree:n=16
traffic: "uniform:m={m}"
methods: circuit
grid: [{m: [8, 16]}]
trials: 50
quantiles: rounds:50
pool: m
YAML
right "quantiles, above: of single points, in --csv and --json" run pooled.yaml -o pooled
[ "$(grep -c ',circuit:mode=rounds,rounds,,rounds,,,,,50,ok,0.5,,' pooled/results.csv)" -eq 2 ] || fail "quantiles: $(cat pooled/results.csv)"
"$bough" report pooled --quantiles rounds:90 --csv >asked
[ "$(grep -c ',ok,0.9,,' asked)" -eq 2 ] || fail "report has no other quantiles: $(cat asked)"

# Collisions by scenario and attempts over messages, in all modes.
for mode in attempt rounds cycles cycles,retry=round cycles,retry=backoff cycles,retry=persistent; do
	right "collisions[scenario 3]" sim fattree:n=64 uniform "circuit:mode=$mode,scenarios=1,history=1" --trials 3 --metrics all
	also "attempts_p99"
	if grep -qE 'collisions\[scenario [123]\] +0 ' out; then fail "mode=$mode has no collisions: $(cat out)"; fi
done

# The warm-up is how a trial was run: no interval, no ratio, nothing to be precise about.
right "warmup" sim bft:n=64 poisson:load=0.02,flits=16 worm:messages=2000 worm:messages=2000,buffer=2 --trials 4 --csv
awk -F, '/,warmup,/ { if ($11 != "" && $10 != "") bad = 1 } END { exit bad }' out || fail "warmup has an interval: $(grep warmup out)"
right "worm" sim bft:n=64 poisson:load=0.02,flits=16 worm:messages=2000 worm:messages=2000,buffer=2 --trials 4
if sed '1,/\/ worm/d' out | grep -q warmup; then fail "warmups are compared: $(cat out)"; fi
wrong 2 "precision: warmup is a property of a trial" sim bft:n=64 poisson:load=0.02,flits=16 worm --precision warmup:1%

# A run that its backlog ends within a given warm-up: the note has the growth since the start, which was never 0.
"$bough" sim kary:k=4,levels=4 bernoulli:load=1,flits=16 worm:warmup=8000,messages=64 --trials 1 --metrics backlog_growth >out 2>&1 ||
	fail "a given warm-up: $(cat out)"
grep -q "saturated: offered 1, accepted 0\.[0-9]* flits" out || fail "not saturated: $(cat out)"
if grep -q "queues grow by 0 " out; then fail "queues that grow by nothing: $(cat out)"; fi
