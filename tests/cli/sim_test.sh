#!/bin/sh
# bough sim, and what all commands have in common: help, wrong command lines, exit statuses, standard output.
# $1: bough, $2: the source directory.
set -eu
bough=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bough-sim.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# wrong STATUS TEXT ARGUMENT...: bough must exit with STATUS, print nothing, and say one line that holds TEXT.
wrong() {
	want=$1
	text=$2
	shift 2
	status=0
	"$bough" "$@" >out 2>err || status=$?
	[ "$status" -eq "$want" ] || fail "bough $*: status $status, not $want: $(cat err)"
	[ ! -s out ] || fail "bough $*: standard output is not empty"
	[ "$(wc -l <err)" -eq 1 ] || fail "bough $*: $(wc -l <err) lines: $(cat err)"
	case $(cat err) in
	"bough: "*"$text"*) ;;
	*) fail "bough $*: expected '$text' in: $(cat err)" ;;
	esac
}

# right TEXT ARGUMENT...: bough must succeed and print TEXT somewhere.
right() {
	text=$1
	shift
	"$bough" "$@" >out 2>err || fail "bough $*: status $?: $(cat err)"
	[ ! -s err ] || fail "bough $*: said $(cat err)"
	grep -qF -- "$text" out || fail "bough $*: expected '$text' in: $(cat out)"
}

# ---- wrong command lines ----
wrong 2 "a command is missing"
wrong 2 "no command 'smi' (did you mean 'sim'" smi
wrong 2 "no command 'zzzz'" zzzz
wrong 2 "a network is missing" sim
wrong 2 "nosuch.csv: cannot be opened" sim nosuch.csv alltoall flow
wrong 2 "unknown option '--trails' (did you mean '--trials'" sim fattree:n=4 --trails 3
wrong 2 "unknown option '-x'" sim fattree:n=4 -x
wrong 2 "--trials needs a value" sim fattree:n=4 bins --trials
wrong 2 "--json takes no value" sim fattree:n=4 bins --json=1
wrong 2 "--trials is given twice" sim fattree:n=4 bins --trials 1 --trials 2
wrong 2 "--trials: 0 is out of range" sim fattree:n=4 uniform bins --trials 0
wrong 2 "'x' is not a whole number" sim fattree:n=4 uniform bins --trials x
wrong 2 "'99999999999999999999' is too large" sim fattree:n=4 uniform bins --trials 99999999999999999999
wrong 2 "'nan' is not a fraction" sim fattree:n=4 uniform bins --precision nan
wrong 2 "no metric 'ronds' (did you mean 'rounds'" sim fattree:n=4 uniform bins --precision ronds:1%
wrong 2 "--json and --csv" sim fattree:n=4 uniform bins --json --csv
wrong 2 "a method is missing; there are: circuit, worm" sim fattree:n=4 uniform
wrong 2 "did you mean 'circuit'" sim fattree:n=4 uniform circut
wrong 2 "second traffic after 'uniform'" sim fattree:n=4 uniform bitrev bins
wrong 2 "needs traffic" sim fattree:n=4 bins
wrong 2 "poisson requires rate=" sim fattree:n=4 poisson collision
wrong 2 "rate and load are alternatives" sim fattree:n=4 poisson:rate=1,load=1 collision
wrong 2 "relload=0.5 of quueing: no method 'quueing'" sim fattree:n=4 poisson:relload=0.5,of=quueing collision
wrong 2 "poisson:rate=0.01,flits=32 never ends; use mode=cycles" sim fattree:n=4 poisson:0.01 circuit
wrong 2 "did you mean 'fattree'" sim fatree:n=4 uniform bins
wrong 2 "n=5 is not a power of two" sim fattree:n=5 uniform bins
wrong 2 "has no parameter 'mode'" sim fattree:n=4 uniform bins:mode=1
wrong 2 "did you mean 'random'" sim fattree:n=4 uniform circuit --routing randm
wrong 2 "of memory" sim fattree:n=2^32 uniform circuit
wrong 2 "see \`bough run --help\`" run
wrong 2 "no built-in study of that name" run strumpen2005/nothing
wrong 2 "write KEY=VALUE" run strumpen2005/fig4 --set n
wrong 2 "directory of results is missing" report
wrong 2 "cannot be opened" report nowhere

# ---- help ----
for verb in "" list net sim run report check plan tune; do
	# shellcheck disable=SC2086 # the empty one is no word
	right "usage: bough" $verb --help
	awk 'length > 80 { bad = 1 } END { exit bad }' out || fail "$verb --help: a line beyond 80 columns"
	grep -q ' $' out && fail "$verb --help: a blank at the end of a line"
done
# Each option once; five that matter first; none is forgotten in the groups.
for verb in net sim run report check plan tune; do
	right "most used:" "$verb" --help
	[ -z "$(grep -oE '^  (-., )?--[a-z-]+' out | sort | uniq -d)" ] || fail "$verb --help: an option twice"
	[ "$(sed -n '/^most used:/,/^$/p' out | grep -cE '^  (-., )?--')" -eq 5 ] || fail "$verb --help: not five"
	[ "$(sed -n '/^every command:/,/^$/p' out | grep -cE '^  (-., )?--')" -eq 2 ] || fail "$verb --help: $(cat out)"
done
right "bough 0." --version
for verb in list net sim run report check; do
	"$bough" --help | grep -q "^  $verb " || fail "--help does not name $verb"
done
right "--precision 1% --trials 1000" sim --help

# ---- results ----
right "rounds" sim fattree:n=64 uniform circuit:mode=rounds --trials 20
right "bins / circuit  rounds" sim fattree:n=64 uniform circuit:mode=rounds bins --trials 20
right '"trials": 20, "status": "ok"' sim fattree:n=64 uniform circuit:mode=rounds --trials=20 --json
right '"mean": 0.2222222222222222, "min"' sim fattree:n=4 collision --json # exact: no ci95
right '"traffic": null' sim fattree:n=4 collision --json
right "exact" sim fattree:n=4 collision
right '"metric": "link_load_max"' sim fattree:n=16 shift:k=1 linkload --routing dmodk --json
right '"routing": "smodk"' sim fattree:n=16 shift:k=1 linkload --routing dmodk --routing smodk --json
wrong 2 "the method worm is given twice; give it once" sim bft:n=16 poisson:load=0.01 worm worm:
wrong 2 "the routing dmodk is given twice" sim fattree:n=16 shift:k=1 linkload --routing dmodk --routing dmodk
right "linkload under smodk / linkload under dmodk: equal" sim fattree:n=16 shift:k=1 linkload --routing dmodk --routing smodk
right "network,routing,traffic,method,metric,index,unit,mean,ci95,min,max,trials,status" sim fattree:n=4 collision --csv
right "free,uniform:m=64,bins:model=1,rounds" sim fattree:n=64 --csv bins uniform --trials 3 # any order

# A share of a saturation is said before the run, once; what is echoed can be pasted back.
echo "metric,value
saturation,0.04" >saturation.csv
"$bough" sim fattree:n=4 'poisson:relload=0.5,of="data:saturation.csv",flits=16' collision --json >out 2>err
[ "$(wc -l <err)" -eq 1 ] || fail "relload: $(cat err)"
grep -qF "relload 0.5 of the saturation of data:saturation.csv, 0.04: load=0.02 flits/cycle/endpoint = 0.00125 messages" err ||
	fail "relload: $(cat err)"
grep -qF '"poisson:load=0.02,flits=16"' out || fail "relload: $(cat out)"
right '"poisson:load=0.02,flits=16"' sim fattree:n=4 poisson:load=0.02,flits=16 collision --json

# queueing: the paper's figure; what saturates has no latency, but says which links are full.
"$bough" sim bft:n=1024 poisson:relload=0.9,of=queueing,flits=32 queueing >out 2>err || fail "queueing: $(cat err)"
grep -q "latency  *77.02 cycles" out || fail "queueing: $(cat out)"
right '"metric": "latency", "unit": "cycles", "mean": null' sim bft:n=1024 poisson:load=0.05,flits=32 queueing --json
grep -q '"status": "saturated"' out && grep -q '"metric": "limit_up"' out || fail "queueing: $(cat out)"
# sidetrack: the paper's permutation, under both rules; what the model does not allow.
right "sidetrack:compress=root / sidetrack" sim pruned:n=256 bitrev sidetrack sidetrack:compress=root
grep -q "passes  *8 *exact" out && grep -q "passes  *9 *exact" out || fail "sidetrack: $(cat out)"
right '"metric": "stage_passes", "index": 0' sim pruned:n=64 bitcomp sidetrack:verify=1,stages=1,body=48 --json
wrong 2 "n=60 is not a power of four; the nearest are 16 and 64" sim pruned:n=60 bitcomp sidetrack
wrong 2 "body=49 is longer than the model allows" sim pruned:n=64 bitcomp sidetrack:body=49
wrong 2 "needs the pruned butterfly of bay1991" sim bft:n=64 bitcomp sidetrack
wrong 2 "does not accept a stream" sim pruned:n=64 poisson:0.01 sidetrack

wrong 2 "method queueing needs traffic with a rate" sim bft:n=16 uniform queueing

# sortroute: the paper's sizes, its verification, and what it does not take.
"$bough" sim sorting:n=65536 bitrev sortroute:verify=1 >out 2>err || fail "sortroute: $(cat err)"
grep -q "waves  *351 " out && grep -q "load_factor  *192 " out || fail "sortroute: $(cat out)"
wrong 2 "constant degree: alltoall sends 65280 messages, so some terminal 255 or more; the limit is 4 (degree=)" sim sorting:n=256 alltoall sortroute
wrong 2 "a terminal receives 256 messages of incast:m=256, the limit is 255 (degree=)" sim sorting:n=512 incast:m=256 sortroute:degree=255
wrong 2 "needs the sorting fat-tree of bay1991 (sorting:n=...); fattree:n=256 does not qualify" sim fattree:n=256 randperm sortroute
wrong 2 "body=65 bits; bodies have O(lg n) bits, here 4 lg n = 64 at most" sim sorting:n=65536 randperm sortroute:body=65
printf 'source,destination,size\n0,200,1\n3,100,5\n' >long.csv
wrong 2 "message 1 from 3 to 100 has a body of 40 bits (size 5 x body=8)" sim sorting:n=256 messages:long.csv sortroute

# The same for any number of threads; another seed is another result; and it is what the default says.
"$bough" sim fattree:n=64 uniform circuit bins --threads 1 --json >one
"$bough" sim fattree:n=64 uniform circuit bins --threads 3 --json >three
"$bough" sim fattree:n=64 uniform circuit bins --precision 1% --trials 1000 --seed 1 --json >explicit
"$bough" sim fattree:n=64 uniform circuit bins --seed 2 --json >other
cmp one three || fail "threads change the result"
for threads in 1 3; do
    "$bough" sim mesh:dims=3x3 poisson:load=0.2,flits=4 worm:router=iq,vcs=2,messages=200,warmup=100 --trials 6 \
        --threads $threads --json >"routers$threads"
done
cmp routers1 routers3 || fail "threads change a result of routers with a pipeline"
cmp one explicit || fail "the default is not what the help says"
! cmp -s one other || fail "the seed changes nothing"

# ---- standard output that does not take the results ----
if [ -w /dev/full ]; then
	status=0
	"$bough" sim fattree:n=4 collision >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ] || fail "/dev/full: status $status"
	grep -q "standard output" err || fail "/dev/full: $(cat err)"
fi
mkfifo pipe
true <pipe & # opens the pipe for reading, and closes it at once
exec 3>pipe
wait $!
status=0
"$bough" sim fattree:n=4 collision >&3 2>err || status=$?
exec 3>&-
[ "$status" -eq 1 ] || fail "closed pipe: status $status"
[ ! -s err ] || fail "closed pipe: said $(cat err)"

# The hosts with the most computations, of equal ones the first; none without computations.
cat >calc.goal <<'END'
num_ranks 4
rank 0 {
l1: calc 1000000
}
rank 1 {
l1: calc 3000000
l2: send 1000b to 2 tag 1
l2 requires l1
}
rank 2 {
l1: recv 1000b from 1 tag 1
}
rank 3 {
l1: calc 3000000
}
END
for hosts in 1:h1 2:h1,h3 3:h0,h1,h3 4:h0,h1,h3; do
	"$bough" sim xgft:down=2x2,up=1x2 goal:calc.goal "sensitivity:hosts=${hosts%:*},links=0,top=0" >out
	found=$(sed -n 's/.*computations on \(h[0-9]\).*/\1/p' out | sort | paste -sd, -)
	[ "$found" = "${hosts#*:}" ] || fail "hosts=${hosts%:*}: $found"
done

# The sides of a unit tree: 64 channels of 8 wires up from its leaves and down to them.
"$bough" sim transit parts:kind=UT64x8 --csv >out
for row in channels,0,channels,64 channels,1,channels,64 channels,2,channels,0 channels,3,channels,0 capacity,0,wires,8 \
	capacity,1,wires,8 capacity,2,wires,0 capacity,3,wires,0 wires,0,wires,512 wires,1,wires,512; do
	grep -q ",part_$row," out || fail "parts of UT64x8: no $row in $(cat out)"
done
echo "sim_test: all passed"
