#!/bin/sh
# bough sim ... flow: what it refuses, what it prints, the same for any number of threads.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

net=xgft:down=4x4,up=1x2

wrong 2 "rate=0Gb/s is out of range; rate must lie between 1Mb/s and 100Tb/s" sim "$net" randperm flow:rate=0Gb/s
wrong 2 "size=0MB is out of range" sim "$net" randperm flow:size=0MB
wrong 2 "delay=1 is not a time with its unit, as in 10ns or 1us" sim "$net" randperm flow:delay=1
wrong 2 "no parameter 'sise' (did you mean 'size'" sim "$net" randperm flow:sise=1
wrong 2 "is endless" sim "$net" poisson:load=0.1 flow
wrong 2 "needs traffic" sim "$net" flow
wrong 1 "message 0 from h0 to h1 would take more than 53 days" sim "$net" shift flow:rate=1Mb/s,size=1TB --routing dmodk

# Defaults are part of what is printed; an exact answer is one trial.
right "assumes: links 100Gb/s; delay 100ns a link; sizes 1MB a message; sharing max-min fair" sim "$net" shift:k=4 flow --routing dmodk
also "exact"
right '"unit": "Gb/s"' sim "$net" shift:k=4 flow:delay=0ps,levels=1,hot=1 --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 0.00016'
json 'next(r for r in o["results"] if r["metric"] == "ideal_share")["mean"] == 0.5'
json 'next(r for r in o["results"] if r["metric"] == "throughput")["mean"] == 800'

# A real fabric has rates of its own, and tables that name every path.
right "links 100Gb/s, as the network states" sim "$source/examples/fabric/cluster.ibnetdiscover" randperm flow \
	--routing "lft:$source/examples/fabric/cluster.ftree.lfts.gz" --trials 3

# Times in ps, sizes in units of size=.
cat >messages.csv <<'CSV'
time,source,destination,size
0,0,3,1000
40000,1,3,500
CSV
right '"metric": "completion_time"' sim "$net" messages:messages.csv flow:size=1,delay=0ps --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 1.2e-07'

for threads in 1 3; do
	"$bough" sim "$net" randperm flow:levels=1,hot=3 --routing random --routing valiant --trials 40 --threads "$threads" \
		--csv >"out.$threads"
done
cmp out.1 out.3 || fail "other results with 3 threads"

# every named node, whatever its rates
for node in $("$bough" list nodes | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do
	right completion_time sim clos:radix=64,hosts=144 allreduce:ranks=16,size=1MB flow loggops linkload --physical "ndr:node=$node" --routing dmodk
done
[ -n "$node" ] || fail "no nodes are listed"
