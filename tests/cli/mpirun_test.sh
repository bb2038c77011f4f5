#!/bin/sh
# bough run and sim under mpirun: stores of 1, 2, 3 and 4 ranks of 1 and 2 threads equal that of one process, bit for bit; what is
# refused is refused in one line; runs that are killed are resumed with other numbers.
# $1: bough, $2: the source directory, $3: moments at which runs are ended (8).
set -eu
bough=$1
source=$2
moments=${3:-8}
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
trials() {
	python3 "$source/tests/cli/store_trials.py" "$1"
}

cat >study.yaml <<'END'
study: Ranks
network: fattree:n={n}
traffic: uniform:m={m}
methods: ["circuit:mode=rounds,history=1", bins, bound, linkload]
grid:
  - n: [16, 64]
  - m: [n/2, n]
precision: 3%
trials: 400
quantiles: "rounds:50,90"
END

# ---- without MPI: what a launcher says in the environment ----
# ranks COUNT WORD...: a command as rank 0 of COUNT
as_ranks() {
	want=$1
	text=$2
	shift 2
	status=0
	"$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$want" ] || fail "$*: status $status, not $want: $(cat err)"
	[ ! -s out ] || fail "$*: prints $(cat out)"
	[ "$(grep -c '^bough: ' err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
	grep -qF -- "$text" err || fail "$*: expected '$text' in: $(cat err)"
}
as_ranks 2 "only \`bough run\` and \`bough sim\` compute on several" \
	env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$bough" net fattree:n=16
as_ranks 2 "srun started 3 ranks without MPI" env SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0 "$bough" run study.yaml -o no
mkdir without
cp "$bough" without/bough
as_ranks 2 "this bough has no MPI" env PMI_SIZE=3 PMI_RANK=0 without/bough run study.yaml -o no
[ ! -e no ] || fail "a refused run has created a directory"
# other ranks are silent and end with the same status
status=0
PMI_SIZE=3 PMI_RANK=1 without/bough run study.yaml -o no >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "rank 1: status $status"
[ ! -s out ] && [ ! -s err ] || fail "rank 1 says $(cat out err)"
# one rank, and a Slurm job that is no step, are no team
for one in OMPI_COMM_WORLD_SIZE=1 SLURM_NTASKS=4; do
	env OMPI_COMM_WORLD_RANK=0 SLURM_PROCID=0 "$one" "$bough" run study.yaml -o one --csv >one.csv 2>err ||
		fail "$one: $(cat err)"
done

# ---- with MPI ----
if ! command -v mpirun >/dev/null || ! command -v python3 >/dev/null || [ ! -e "$(dirname "$bough")/bough-mpi.so" ]; then
	echo "the tests under mpirun are skipped: mpirun, python3 or a build with MPI is missing"
	exit 77
fi
# OpenMPI keeps sockets below TMPDIR, whose paths are limited to 108 characters
session=$(mktemp -d /tmp/bmpi.XXXXXX)
trap 'rm -rf "$tmp" "$session"' EXIT
mpi() {
	TMPDIR="$session" OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n "$@"
}

as_ranks 2 "unknown option '--nix'" mpi 3 "$bough" run --nix
as_ranks 2 "no such file" mpi 3 "$bough" run nosuch.yaml -o no
as_ranks 2 "use it without mpirun" mpi 3 "$bough" run study.yaml --dry-run
as_ranks 2 "write I/N" mpi 3 "$bough" run study.yaml --shard 4/3
as_ranks 2 "only \`bough run\` and \`bough sim\` compute on several" mpi 3 "$bough" check fattree:n=16
as_ranks 2 "neither a traffic nor a method" mpi 3 "$bough" sim fattree:n=16 unifrom bins
as_ranks 2 "no/loads.csv" mpi 3 "$bough" sim fattree:n=16 uniform linkload --links no/loads.csv
[ "$(mpi 3 "$bough" --version | grep -c bough)" -eq 1 ] || fail "--version is printed by several ranks"
[ ! -e no ] || fail "a refused run has created a directory"

"$bough" run study.yaml -o alone --threads 1 >alone.txt 2>err || fail "$(cat err)"
trials alone >alone.trials
cmp -s alone/results.csv one.csv || fail "one rank differs from no launcher"
for ranks in 1 2 3 4; do
	for threads in 1 2; do
		mpi "$ranks" "$bough" run study.yaml -o "ranks$ranks$threads" --threads "$threads" >text 2>err ||
			fail "$ranks ranks of $threads threads: $(cat err)"
		trials "ranks$ranks$threads" | cmp - alone.trials || fail "$ranks ranks of $threads threads: other trials"
		for file in results.csv results.json; do
			cmp "alone/$file" "ranks$ranks$threads/$file" || fail "$ranks ranks of $threads threads: another $file"
		done
		cmp text alone.txt || fail "$ranks ranks of $threads threads: another table"
	done
done

# sim: trials that are dealt, a file of rank 0, a fabric from standard input
sims() {
	ranks=$1
	shift
	"$bough" sim "$@" --json >alone.json 2>err <fabric || fail "sim $*: $(cat err)"
	[ ! -e loads.csv ] || mv loads.csv alone.csv
	mpi "$ranks" "$bough" sim "$@" --json --threads 1 >ranks.json 2>err <fabric || fail "sim $*: $(cat err)"
	cmp alone.json ranks.json || fail "sim $* on $ranks ranks: other results"
	[ ! -e loads.csv ] || cmp alone.csv loads.csv || fail "sim $* on $ranks ranks: other loads"
}
cp "$source/examples/fabric/cluster.ibnetdiscover" fabric
for ranks in 2 4; do
	sims "$ranks" fattree:n=64 uniform circuit:mode=rounds bins bound --precision 2% --trials 300 --seed 7
	sims "$ranks" - shift linkload
	sims "$ranks" fattree:n=256 alltoall linkload:engine=generic --routing hash --links loads.csv
done

# ranks of one machine do not look for networks, unless the user has chosen how messages travel
OMPI_MCA_pml_base_verbose=10 mpi 2 "$bough" sim fattree:n=16 uniform bins --trials 2 >text 2>&1 || fail "sim: $(cat text)"
if grep -q 'found loaded component ob1' text; then
	! grep -q 'found loaded component cm' text || fail "ranks of one machine look for networks"
	! OMPI_MCA_pml=nosuch mpi 2 "$bough" sim fattree:n=16 uniform bins --trials 2 >text 2>&1 || fail "the chosen transport is not used"
fi

# from standard input
mpi 3 "$bough" run - -o input --threads 1 <study.yaml >text 2>err || fail "$(cat err)"
trials input | cmp - alone.trials || fail "from standard input: other trials"

# a shard on ranks; the other one alone
mpi 3 "$bough" run study.yaml -o part1 --threads 1 --shard 1/2 >text 2>err || fail "$(cat err)"
"$bough" run study.yaml -o part2 --shard 2/2 >text 2>err || fail "$(cat err)"
right "16 of 16 answers complete" merge -o joined part1 part2
trials joined | cmp - alone.trials || fail "shards: other trials"

# a store that is in use
if command -v flock >/dev/null; then
	status=0
	flock joined/results.lock sh -c "TMPDIR=$session OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
		mpirun --oversubscribe -n 2 '$bough' run study.yaml -o joined" >out 2>err || status=$?
	[ "$status" -eq 2 ] || fail "a store in use: status $status: $(cat err)"
	[ "$(grep -c 'another process is writing' err)" -eq 1 ] || fail "a store in use: $(cat err)"
fi

# ---- killed ----
python3 "$source/tests/cli/mpirun_kill.py" "$bough" "$moments"
