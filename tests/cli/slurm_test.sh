#!/bin/sh
# Slurm: the files that bough writes, loaded by slurmctld, which prints the same tree and places jobs by it.
# $1: bough, $2: the source directory.
set -eu
bough=$1
fabric=$2/examples/fabric/cluster.ibnetdiscover
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# ---- what is refused ----
printf 'node,node\ns1,h 1\ns1,h 2\n' >odd.csv
wrong 2 "'h 1' is no name of a host for Slurm" net odd.csv -o topology.conf
wrong 2 "topology.conf describes cables; transit:n=64 has one-way wires" net transit:n=64 -o topology.conf
wrong 2 "slurm.conf: unknown file ending" net fattree:n=8 -o slurm.conf
printf 'node,node\ns1,h1\ns1,h2\ns2,h3\ns1,s2\ns1,s3\n' >uneven.csv
wrong 2 "s2 has 1 node and s1 has 3; write a topology.conf" net uneven.csv -o block.conf
[ ! -e topology.conf ] || fail "something was written"

# ---- hosts without a name that Slurm can hold ----
printf 'node,node\ns1,h 1\ns1,h2\ns1,h 3\n' >some.csv
"$bough" net some.csv -o some.topology.conf
grep -q "^# left out, as Slurm cannot hold their names: 'h 1' and 1 more$" some.topology.conf || fail "$(cat some.topology.conf)"
grep -q '^SwitchName=s1 Nodes=h2$' some.topology.conf || fail "$(cat some.topology.conf)"

# ---- names of files ----
mkdir etc
"$bough" net "$fabric" -o etc/topology.conf
"$bough" net "$fabric" -o cluster.topology.conf
cmp etc/topology.conf cluster.topology.conf
grep -q '^SwitchName=rack_1-leaf Nodes=node\[001-012\]$' etc/topology.conf || fail "$(cat etc/topology.conf)"
"$bough" net "$fabric" -o etc/topology.yaml
grep -q '^        nodes: "node\[001-012\]"$' etc/topology.yaml || fail "$(cat etc/topology.yaml)"
"$bough" net xgft:down=4x2x4,up=1x2x2 -o tree.block.conf
grep -q '^BlockName=s1.7 Nodes=h\[28-31\]$' tree.block.conf || fail "$(cat tree.block.conf)"
grep -q '^BlockSizes=4,8,32$' tree.block.conf || fail "$(cat tree.block.conf)"

# ---- a file of the site against the fabric ----
unfolded
wrong 2 "nosuch.conf: cannot be opened" check "$fabric" --slurm nosuch.conf
wrong 2 "is for topology/block" check "$fabric" --slurm tree.block.conf
wrong 2 "uneven.csv:1: unknown key 'node,node'" check "$fabric" --slurm uneven.csv
# Other names of switches, and spines one by one, are the same tree.
sed -e 's/rack_/r/g' -e 's/^SwitchName=core_4-spine \(.*\)/SwitchName=s1 \1\nSwitchName=s2 \1/' etc/topology.conf >same.conf
right "same.conf: 95 of 95 hosts are below their leaf" check --details "$fabric" --slurm same.conf
also "8 of 8 leaves match a line (of 8); 2 of 2 lines above them match a level of the fabric"
if grep -q 'slurm-' out; then fail "$(cat out)"; fi
right "topology.yaml: 95 of 95 hosts are below their leaf" check --details "$fabric" --slurm etc/topology.yaml
also "8 of 8 leaves match a line (of 8); 1 of 1 lines above them match a level of the fabric"
sed 's/node\[\([^]]*\)\]/node[\1].example.org/' etc/topology.conf >domain.conf # names with their domain
right "domain.conf: 95 of 95 hosts are below their leaf" check --details "$fabric" --slurm domain.conf
# node012 and node024: one moved, one gone; node099 and node013: one unknown, one twice; half the leaves have no common line.
sed -e '/^#/d' -e 's/=node\[001-012\]/=node[001-011,013,099]/' -e 's/=node\[013-024\]/=node[012-023]/' \
	-e 's/^SwitchName=rack_3-leaf/SwitchName=r3/' -e 's/^SwitchName=rack_8-leaf .*//' \
	-e 's/^SwitchName=core_4-spine .*/SwitchName=x Switches=rack_[1-2]-leaf,r3/' etc/topology.conf >bad.conf
right "bad.conf: 80 of 95 hosts are below their leaf, 2 below another one, 13 not in the file; unknown to the fabric: 1 of 84 nodes; listed twice: 1" \
	check --details "$fabric" --slurm bad.conf --findings 0
also "7 of 8 leaves match a line (of 7); 0 of 1 lines above them match a level of the fabric" \
	"bad.conf:1: the fabric has no host node099, which the file has below rack_1-leaf (slurm-unknown)" \
	"bad.conf:2: node012 is on rack_1-leaf of the fabric; the file has it below rack_2-leaf (slurm-leaf)" \
	"bad.conf:2: node013 is below rack_1-leaf and below rack_2-leaf (slurm-twice)" \
	"bad.conf: node024, on rack_2-leaf of the fabric, is not in the file (slurm-missing)" \
	"bad.conf: no line of the file matches rack_8-leaf of the fabric (12 hosts) (slurm-switch)" \
	"x joins 3 leaves; no level of the fabric joins exactly these (slurm-switch)" \
	"core_4-spine joins 7 leaves of the fabric; no line of the file joins exactly these (slurm-switch)"
status=0
"$bough" check --details "$fabric" --slurm bad.conf --fail-on warn >out || status=$?
[ "$status" -eq 3 ] || fail "--fail-on warn: status $status"
"$bough" check --details "$fabric" --slurm bad.conf --json >out
json "o['slurm']['right'] == 80 and o['slurm']['moved'] == 2 and o['slurm']['missing'] == 13"
json "sum(f['kind'].startswith('slurm-') for f in o['findings']) == 2 + 13 + 1 + 1 + 3"

for program in slurmctld scontrol sbatch; do
	PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || {
		echo "$program is not there (Debian: slurmctld slurm-client): Slurm's side was not looked at"
		exit 0
	}
done
PATH=$PATH:/usr/sbin

# ---- hostlists as Slurm writes them ----
printf 'ClusterName=x\nSlurmctldHost=localhost\n' >hostlists.conf
# same_list NAMES: hosts of one switch with these names, separated by commas.
same_list() {
	{
		echo node,node
		echo "$1" | tr , '\n' | sed 's/^/s,/'
	} >list.csv
	"$bough" net "ibnet:list.csv,hosts=^[^s]" -o topology.conf
	ours=$(sed -n 's/^SwitchName=s Nodes=//p' topology.conf)
	theirs=$(SLURM_CONF=$tmp/hostlists.conf scontrol show hostlistsorted "$1") || fail "scontrol show hostlistsorted"
	[ "$ours" = "$theirs" ] || fail "$1: bough $ours, Slurm $theirs"
}
same_list node001,node002,node003,node004,node016,node020
same_list node9,node10,node011,node010
same_list b2,b10,a,a1,b1
same_list n98,n99,n100,n101
same_list n098,n099,n100,n101
same_list n1,n2,n3,n001,n002,n5
same_list node001-ib,node002-ib
same_list rack1node1,rack2node1,rack1node2,rack10node1,rack10node2
same_list gpu-b200-08,gpu-b200-09,gpu-b200-10,gpu-b200-11,cpu7

# ---- a controller of nodes that do not exist ----
stop() {
	if [ -s pid ]; then
		kill "$(cat pid)" 2>/dev/null || true
		wait "$(cat pid)" 2>/dev/null || true
	fi
	rm -f pid
}
trap 'stop; rm -rf "$tmp"' EXIT

# configure PORT NODES
configure() {
	cat >slurm.conf <<END
ClusterName=bough
SlurmctldHost=localhost
SlurmUser=$(id -un)
AuthType=auth/none
CredType=cred/none
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmctldLogFile=$tmp/slurmctld.log
SwitchType=switch/none
ProctrackType=proctrack/pgid
MpiDefault=none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TopologyPlugin=topology/tree
ReturnToService=2
SuspendProgram=/bin/true
ResumeProgram=/bin/true
SuspendTime=60
NodeName=$2 CPUs=1 State=CLOUD
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

# Whether the controller answers before it ends; waits up to a minute.
answers() {
	i=0
	while [ "$i" -lt 300 ] && kill -0 "$(cat pid)" 2>/dev/null; do
		if scontrol ping 2>/dev/null | grep -q 'is UP'; then return 0; fi
		sleep 0.2
		i=$((i + 1))
	done
	return 1
}

# start NODES: slurmctld with topology.conf, on a free port.
start() {
	stop
	SLURM_CONF=$tmp/slurm.conf
	export SLURM_CONF
	for try in 1 2 3 4 5; do
		rm -rf state spool
		mkdir state spool
		configure $((20000 + ($$ * 7 + try * 1301) % 20000)) "$1"
		slurmctld -D -c -f "$tmp/slurm.conf" >slurmctld.out 2>&1 </dev/null &
		echo $! >pid
		if answers; then return 0; fi
		stop
	done
	fail "slurmctld does not start: $(tail -n 5 slurmctld.out)"
}

# The lines of Slurm without what the file does not have; those of the file.
loaded() {
	scontrol show topology >shown
	sed -e 's/ Level=[0-9]*//' -e 's/ LinkSpeed=[0-9]*//' -e '/Switches=/s/ Nodes=[^ ]*//' shown | sort
}
same_tree() {
	loaded >theirs
	grep -v '^#' topology.conf | sort >ours
	cmp -s ours theirs || fail "the tree: bough $(cat ours), Slurm $(cat theirs)"
	if grep -E 'error:|WARNING' slurmctld.log | grep -i topo; then fail "slurmctld complains about topology.conf"; fi
}

# placed OPTION...: the nodes that Slurm would give to a job.
placed() {
	sbatch --test-only "$@" --wrap true 2>&1 | sed -n 's/.* on nodes \([^ ]*\) in .*/\1/p'
}

"$bough" net "$fabric" -o topology.conf
start 'node[001-057,059-096]'
same_tree
# A job of nine nodes fits the leaf of eleven best; of twelve nodes, a leaf of twelve. An unavailable node of a leaf
# moves it to the next one.
where=$(placed -N 9)
[ "$where" = 'node[049-057]' ] || fail "nine nodes: $where"
where=$(placed -N 12)
[ "$where" = 'node[001-012]' ] || fail "twelve nodes: $where"
where=$(placed -N 12 -x node005)
[ "$where" = 'node[013-024]' ] || fail "twelve nodes without node005: $where"

# Three levels: a job of two leaves stays below one switch of the middle level.
"$bough" net xgft:down=4x2x3,up=1x2x2 -o topology.conf
start 'h[0-23]'
same_tree
grep -q '^SwitchName=s3.0 Level=2 ' shown || fail "$(cat shown)"
where=$(placed -N 4 -x h0)
[ "$where" = 'h[4-7]' ] || fail "four nodes without h0: $where"
where=$(placed -N 8 -x h0)
[ "$where" = 'h[8-15]' ] || fail "eight nodes without h0: $where"
