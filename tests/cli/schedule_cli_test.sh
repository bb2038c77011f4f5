#!/bin/sh
# bough sim ... goal:FILE: what is refused and where, the engines side by side, the real schedules of shared/data.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

net=xgft:down=4x4,up=1x2

cat >ring.goal <<'END'
num_ranks 4
rank 0 {
s: send 1000b to 1
r: recv 1000b from 3
}
rank 1 {
r: recv 1000b from 0
s: send 1000b to 2
s requires r
}
rank 2 {
r: recv 1000b from 1
c: calc 5000
s: send 1000b to 3
c requires r
s requires c
}
rank 3 {
r: recv 1000b from 2
s: send 1000b to 0
s requires r
}
END
sed 's/s requires c/s requires c\nr requires s/' ring.goal >cycle.goal
sed 's/from 3/from 3 tag 7/' ring.goal >tag.goal
sed 's/c requires r/c requires q/' ring.goal >label.goal
gzip -c ring.goal >ring.goal.gz
head -c 60 ring.goal.gz >cut.goal.gz

wrong 2 "no.goal: cannot be opened" sim "$net" goal:no.goal flow
wrong 2 "cycle.goal: rank 2: a cycle of 3 operations that wait for each other: recv (line 12) waits for send (line 14) waits for calc (line 13)" \
	sim "$net" goal:cycle.goal flow
wrong 2 "tag.goal:20: rank 3: send 1000 bytes to 0 tag 0 has no partner" sim "$net" goal:tag.goal flow
wrong 2 "label.goal:15: rank 2 has no operation 'q'" sim "$net" goal:label.goal flow
wrong 2 "cut.goal.gz: the gzip file is truncated" sim "$net" goal:cut.goal.gz flow
wrong 2 "4 ranks, but xgft:down=2,up=1 has 2 endpoints" sim xgft:down=2,up=1 goal:ring.goal flow
wrong 2 "method circuit does not accept a schedule" sim "$net" goal:ring.goal circuit
wrong 2 "method loggops does not accept a batch" sim "$net" randperm loggops
wrong 2 "no parameter 'l'" sim "$net" goal:ring.goal,l=5ns flow
wrong 2 "packet= and rate= apply to time=physical" sim "$net" randperm packet:packet=1kB

# Four messages of a ring: o, L, 999 G and o each, and a computation between.
right completion_time sim "$net" goal:ring.goal loggops:ranks=1 --json --physical loggopsim
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 50.976e-6'
json '[r["mean"] for r in o["results"] if r["metric"] == "rank_end"] == [50.976e-6, 12.994e-6, 29.488e-6, 40.982e-6]'
right completion_time sim "$net" goal:ring.goal loggops flow --json --trials 1 --routing dmodk
json 'len({r["mean"] for r in o["results"] if r["metric"] == "completion_time"}) == 1'
right completion_time sim "$net" goal:ring.goal.gz flow packet worm linkload --routing dmodk --json --trials 1
json 'len([r for r in o["results"] if r["metric"] in ("completion_time", "bound_time")]) == 4'
json 'all(17.24e-6 <= r["mean"] < 21e-6 for r in o["results"] if r["metric"] == "completion_time")'
# Worms cross links with rates and delays: here 26 links one after another, without overheads, of 100 ns and, for
# a flit, 5.12 ns. Times are in seconds.
right completion_time sim xgft:down=16x16,up=1x16 barrier:o=0ns,g=0ns flow loggops worm --routing dmodk --json --trials 1
json '[round(r["mean"] * 1e12) for r in o["results"] if r["metric"] == "completion_time"] == [2600000, 2600000, 26 * 105120]'
json 'not [r for r in o["results"] if r["metric"] in ("latency", "latency_max", "cycles", "source_wait")]'
"$bough" sim "$net" goal:- loggops <ring.goal >out 2>err || fail "standard input: $(cat err)"
also completion_time
seq 0 3 | awk '{ print $1, 15 - $1 }' >place.txt
right place.txt sim "$net" goal:ring.goal,place=place.txt flow --routing dmodk

# A schedule that hangs has no times.
cat >hangs.goal <<'END'
num_ranks 2
rank 0 {
a: send 99b to 1
b: recv 99b from 1
b requires a
}
rank 1 {
a: send 99b to 0
b: recv 99b from 0
b requires a
}
END
right "2 of 2 ranks never finish; the first: rank 0 on h0 (line 3) waits until rank 1 on h1 receives its 99 bytes" sim "$net" goal:hangs.goal,S=98 flow --routing dmodk \
	--json
json '{r["metric"] for r in o["results"]} == {"messages"}'
right '"status": "hangs"' sim "$net" goal:hangs.goal,S=98 loggops --json

# The costs of hosts are those of all methods.
wrong 2 "method loggops has no parameter 'G': it belongs to the physical setting, which all methods share; use --physical default:G=1ns" sim xgft:down=4x4,up=1x2 barrier loggops:G=1ns
right "links G=6ns a byte (loggops) | 1.333Gb/s (flow)" sim xgft:down=4x4,up=1x2 barrier loggops flow --physical loggopsim

# A job on a dead leaf has no time either; of several jobs, those on the other leaves have one.
dead="--routing hash --faults name:s1.1,mode=rerouted"
right "hangs: 16 of 16 ranks never finish" sim xgft:down=4x4,up=1x4 allreduce:ring,size=8MB flow worm packet loggops linkload $dead
! grep -q "_time\|bandwidth\|_share\|cycles" out || fail "a job that never ends has a time: $(cat out)"
also "rank 4 on h4 waits for 500000 bytes of rank 3" "as switch s1.1 is dead" "5 messages have no route"
printf 'name,traffic,hosts,place\nnear,"allreduce:ring,size=8MB",4,list=0-3\nfar,"allreduce:ring,size=8MB",8,list=4-11\n' >two.csv
right "jobs that never end: 1 far; 8 of 12 ranks never finish" sim xgft:down=4x4,up=1x4 jobs:two.csv flow:alone=1 loggops $dead
also "job_time[near]" "job_slowdown[near]"
! grep -q "loggops (hangs) / flow" out || fail "what hangs is compared: $(cat out)"
! grep -q "completion_time\|\[1\]" out || fail "the job that hangs has a time: $(cat out)"
right '"partial"' sim xgft:down=4x4,up=1x4 shift flow $dead --json
json 'o["notes"][0]["text"].endswith("the times are of the 11 that arrived, and the whole has none")'
# A batch that lost messages has no time of the whole, in any engine; where none arrived, there is no time at all.
right "and the whole has none" sim xgft:down=4x4,up=1x2 alltoall flow packet worm --routing dmodk --faults name:s1.0,mode=rerouted
! grep -q "completion_time\|  steps \|  cycles \|ideal_share" out || fail "a batch that lost messages has a time: $(cat out)"
right "15 messages have no route" sim xgft:down=4x4,up=1x2 incast flow packet worm --routing dmodk --faults name:s1.0,mode=rerouted
! grep -q "_time\|latency\|fct\|  steps " out || fail "nothing arrived, and there is a time: $(cat out)"

# Finish times of LogGOPSim, in ns, on the files that are there.
data=$source/../shared/data/goal
[ -d "$data" ] || exit 0
finish() {
	right completion_time sim fattree:n=128 "goal:$data/$1" loggops --json --physical loggopsim
	json "round(1e9 * next(r for r in o['results'] if r['metric'] == 'completion_time')['mean']) == $2"
}
finish binary-tree-32.goal 27500
finish binomial-bcast-128.goal 81466
finish dissemination-32.goal 27500
finish doublering-4.goal 25000
finish nonblocking-2.goal 5504
finish financial-1.goal 37057580
finish financial-2.goal 50262844
finish financial-10.goal 113217332
finish incast-128.goal 498819616
finish pairs-128.goal 192005494
finish sweep3d-4.goal.gz 42441534548
finish sweep3d-64.goal.gz 42442531694
