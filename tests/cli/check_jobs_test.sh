#!/bin/sh
# bough check --job: which routing is better for a job.
# $1: bough, $2: the source directory.
set -eu
bough=$1
example=$2/examples/fabric

# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded
fabric=$example/cluster.ibnetdiscover
ftree=$example/cluster.ftree.lfts.gz
updn=$example/cluster.updn.lfts.gz

# ---- wrong command lines ----
wrong 2 "no traffic 'shfit' (did you mean 'shift'" check "$fabric" --job shfit:1
wrong 2 "a job is a batch, or a schedule" check "$fabric" --job poisson:load=0.1,flits=8
wrong 2 "no parameter" check "$fabric" --job shift:l=1
wrong 2 "which standard input cannot" check - --job shift:1
wrong 2 "is not a whole number" check "$fabric" --job shift:1 --trials few

# ---- exact jobs: the rows, in their order, and who is better ----
right "job         shift:k=1,m=95" check --details "$fabric" --order lid --lft "$updn" --lft "$ftree" --job shift:1 --job tornado
also "cluster.updn.lfts.gz takes 33.3 % longer (exact)" "240.4 us" "320.4 us" "the same: "
right '"jobs"' check --details "$fabric" --order lid --lft "$updn" --lft "$ftree" --routing hash --job shift:1 --json --trials 0
json '[r["link_load_max"] for r in o["jobs"][0]["ranking"]] == [3, 4, 4] and len(o["jobs"]) == 1'
json '[r["completion_time"] for r in o["jobs"][0]["ranking"]] == sorted(r["completion_time"] for r in o["jobs"][0]["ranking"])'
json 'o["jobs"][0]["decided"] is True and abs(o["jobs"][0]["ahead"] - 1/3) < 1e-3 and o["jobs"][0]["ahead_ci95"] is None'
json '"ftree" in o["jobs"][0]["ranking"][0]["routing"] and o["jobs"][0]["ranking"][2]["routing"] == "hash"'
# The same figures as sim's, whatever the order of the routings.
right '"results"' sim "ibnet:$fabric,order=lid" shift:1 flow --routing "lft:$updn" --json
json 'abs([r for r in o["results"] if r["metric"] == "completion_time"][0]["mean"] - 320.4e-6) < 1e-9'

# ---- all-to-all by rounds is a schedule: it has a time, and no flows to count ----
right "alltoall:algo=shift" check --details "$fabric" --lft "$ftree" --job alltoall:shift,size=1MB --json
json 'o["jobs"][0]["ranking"][0]["completion_time"] > 0 and "link_load_max" not in o["jobs"][0]["ranking"][0]'

# ---- tables that lose messages never end a job, and are not the better ones ----
gzip -cd "$ftree" | head -c 60000 >half.lfts
right "job         broadcast" check --details "$fabric" --lft half.lfts --lft "$updn" --job broadcast:binomial --job alltoall
also "never" "no route" "cluster.updn.lfts.gz; half.lfts never ends it"
! grep -q "nan\|the same:\|better: half" out || fail "half a table is better: $(cat out)"
right '"jobs"' check --details "$fabric" --lft half.lfts --lft "$updn" --job broadcast:binomial --json
json '[r["status"] for r in o["jobs"][0]["ranking"]] == ["ok", "hangs"] and o["jobs"][0]["ranking"][1]["completion_time"] is None'
json 'o["jobs"][0]["decided"] is True and o["jobs"][0]["ahead"] is None'
right "none of them ends it" check --details "$fabric" --lft half.lfts --lft half.lfts --job alltoall

"$bough" sim "$fabric" broadcast:binomial flow --routing "lft:$updn" --routing lft:half.lfts --trials 1 >out 2>err
grep -q "^flow under lft:file=half.lfts: hangs: " out || fail "nothing says which routing hangs: $(cat out)"

# ---- drawn jobs: intervals ----
right "undecided: " check --details "$fabric" --lft "$ftree" --lft "$updn" --job randperm --trials 8
also "within the interval"
right '"jobs"' check --details "$fabric" --lft "$ftree" --lft "$updn" --job randperm --json --trials 12
json 'all(r["trials"] == 12 and r["completion_time_ci95"] > 0 for r in o["jobs"][0]["ranking"]) and o["jobs"][0]["ahead_ci95"] > 0'
json 'o["jobs"][0]["decided"] == (o["jobs"][0]["ahead"] > o["jobs"][0]["ahead_ci95"])'
right "job         randperm" check --details "$fabric" --job randperm --faults cables:count=2,mode=rerouted --trials 4 # one routing: no ranking
