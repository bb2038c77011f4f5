#!/bin/sh
# bough sim with workloads: what is refused, what is printed, the same for any number of threads.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

net=xgft:down=4x4,up=1x2
free=o=0ns,g=0ns,S=0

wrong 2 "algo=rings is unknown (did you mean 'ring'" sim "$net" allreduce:rings flow
wrong 2 "17 ranks, but $net has 16 endpoints, enough for 16" sim "$net" allreduce:ranks=17 flow
wrong 2 "no parameter 'sise' (did you mean 'size'" sim "$net" allreduce:sise=1 flow
wrong 2 "did you mean 'allreduce'" sim "$net" allreduse flow
wrong 2 "method circuit does not accept a schedule" sim "$net" allreduce circuit
wrong 2 "size= applies to schedules; also give algo=" sim "$net" alltoall:size=1MB flow
wrong 2 "needs dims=" sim "$net" halo flow
wrong 2 "alone=1 needs jobs" sim "$net" allreduce flow:alone=1

right "allreduce:algo=ring,size=1600kB,ranks=16" sim "$net" "allreduce:size=1600kB,$free" flow:delay=0ps --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 0.00024'
json 'abs(next(r for r in o["results"] if r["metric"] == "bus_bandwidth")["mean"] - 12.5) < 1e-9'
right "loggops" sim "$net" alltoall:pairwise flow loggops --routing dmodk

# Lists.
printf 'Nodes 4\nConnections 2\n0->1 id 1 start 0 size 1000\n2->3 id 2 start 40 size 500\n' >two.cm
right '"metric": "completion_time"' sim "$net" cm:two.cm,unit=1ns flow:delay=0ps --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 8e-08'
# By hand: two packets of 40 ns over two links of 100 ns, and one that starts 40 ns later; ten flits of 8 ns,
# and five that start 40 ns later; 1000 bytes at 12.5 a ns.
for answer in packet:packet=500B=3.2e-07 worm:flit=100B=2.88e-07; do
	right '"completion_time"' sim "$net" cm:two.cm,unit=1ns "${answer%=*}" --routing dmodk --json
	json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == '"${answer##*=}"
done
right '"bound_link"' sim "$net" cm:two.cm,unit=1ns linkload --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "bound_link")["mean"] == 8e-08'
json 'not [r for r in o["results"] if r["metric"] == "bound_cpu"]'
wrong 2 "needs a schedule" sim "$net" cm:two.cm loggops
printf 'Nodes 4\nConnections 2\n0->1 start 0 size 1000 send_done_trigger 7\n2->3 trigger 7 size 500\ntrigger id 7 barrier count 2\n' >never.cm
for method in flow packet worm; do
	right "1 message is never sent: 2->3 of line 4 waits for trigger 7, which was signalled 1 of 2 times" \
		sim "$net" cm:never.cm $method --routing dmodk --json
done
sed 's/Connections 2/Connections 3/' two.cm >three.cm
wrong 2 "three.cm:4: 2 messages, but Connections gives 3" sim "$net" cm:three.cm flow
printf '0 5\n7 0\n' >two.mat
right "messages" sim "$net" matrix:two.mat flow --routing dmodk --metrics all
if command -v gzip >/dev/null; then
	i=0
	while [ $i -lt 2000 ]; do
		echo "0->1 start $i size $((1 + i * 7919 % 104729))"
		i=$((i + 1))
	done >many
	{
		echo "Nodes 2"
		cat many
	} | gzip -c >whole.cm.gz
	right "2000" sim "$net" cm:whole.cm.gz flow:ideal=0 --routing dmodk --metrics messages
	head -c 3000 whole.cm.gz >cut.cm.gz
	wrong 2 "cut.cm.gz" sim "$net" cm:cut.cm.gz flow
fi

# Training steps.
cat >step.csv <<'CSV'
[rank0 ~ rank7]
comm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional
CommType.all_reduce,CommGroup.tp_group,2,8,init,None,None,
CommType.epoch_end,None,None,0,,None,None,
CommType.all_reduce,CommGroup.tp_group,2,1000,forward,None,None,
CommType.reduce_scatter,CommGroup.dp_group,4,4000,step,None,None,
CSV
right "label_wait[data]" sim "$net" "aicb:step.csv,$free" flow:delay=0ps --routing dmodk --metrics all
right '"metric": "label_wait"' sim "$net" "aicb:step.csv,$free" flow:delay=0ps --routing dmodk --json
json 'next(r for r in o["results"] if r["metric"] == "completion_time")["mean"] == 3.2e-07'
wrong 2 "8 ranks, but xgft:down=2x2,up=1x2 has 4 endpoints" sim xgft:down=2x2,up=1x2 aicb:step.csv flow
right "completion_time" sim xgft:down=2x2,up=1x2 aicb:step.csv,gpus=2 flow
# One allreduce of a file takes as long as the collective, by the algorithms of GPU libraries too.
printf '[rank0 ~ rank7]\ncomm_type,comm_group,comm_group_size,msg_size,stage,dst,src,additional\nCommType.epoch_end,None,None,0,,None,None,\nCommType.all_reduce,CommGroup.dp_group,8,4000000,x,None,None,\nCommType.epoch_end,None,None,0,,None,None,\n' >one.csv
for algorithm in ring nccl-ring nccl-tree hierarchical nvls-tree; do
	for kind in aicb:one.csv allreduce:size=4MB,ranks=8; do
		right '"completion_time"' sim "$net" "$kind,algo=$algorithm,gpus=4,rails=4,o=1us,g=0ns" flow --routing dmodk --json
		json 'print(next(r["mean"] for r in o["results"] if r["metric"] == "completion_time"), file=open("'"${kind%%:*}"'.time", "w")) or True'
	done
	cmp aicb.time allreduce.time || fail "$algorithm: other times: $(cat aicb.time allreduce.time)"
done
wrong 2 "algo=nccl is unknown" sim "$net" aicb:one.csv,algo=nccl flow
wrong 2 "step.csv:6: epoch 2 does not exist" sim "$net" aicb:step.csv,epoch=2 flow

# A step of a model.
cat >step.yaml <<'YAML'
model: {layers: 4, hidden: 512, heads: 8, ffn: 1536, vocab: 4096, seq: 256}
batch: {global: 16}
parallel: {tensor: 2, pipeline: 2, data: 2, sequence: true, zero: 1}
gpu: h100
YAML
right "label_wait[pipeline]" sim xgft:down=8,up=1 train:step.yaml flow --routing dmodk --metrics all
also "mfu"
right "merge=1" sim xgft:down=8,up=1 train:step.yaml flow --routing dmodk --metrics all
right '"metric": "token_rate"' sim xgft:down=8,up=1 train:step.yaml,merge=4,steps=2 flow --routing dmodk --json
json '[r["mean"] for r in o["results"] if r["metric"] == "gpu_rate"][0] > 0'
wrong 2 "8 ranks, but xgft:down=4,up=1 has 4 endpoints" sim xgft:down=4,up=1 train:step.yaml flow
sed 's/seq/sec/' step.yaml >wrong.yaml
wrong 2 "wrong.yaml:1: unknown key 'sec' of model (did you mean 'seq'?)" sim "$net" train:wrong.yaml flow

# Jobs: the example; random draws do not depend on threads.
right "job_time[alltoall]" sim xgft:down=8x8,up=1x4 "jobs:$source/examples/jobs.csv" flow:alone=1 --routing dmodk --metrics all
also "job_slowdown[alltoall]"
for threads in 1 3; do
	"$bough" sim "$net" "alltoall:shift,size=64kB,place=random,key=3" flow:ideal=0 --routing random --trials 20 \
		--threads "$threads" --csv >"out.$threads"
done
cmp out.1 out.3 || fail "other results with 3 threads"

for study in allreduce alltoall; do
	right flow run "collectives/$study" --dry-run --json
done
