#!/bin/sh
# bough run and bough report: results do not depend on threads, on being killed, interrupted, or out of disk.
# $1: bough, $2: the source directory.
set -eu
bough=$1
tmp=$(mktemp -d "${TMPDIR:-/tmp}/bough-study.XXXXXX")
mounted=
# shellcheck disable=SC2317 # the trap calls it
clean() {
	[ -z "$mounted" ] || umount "$mounted"
	rm -rf "$tmp"
}
trap clean EXIT
cd "$tmp"

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

# expect STATUS TEXT COMMAND...: one line on standard error, with TEXT.
expect() {
	want=$1
	text=$2
	shift 2
	status=0
	"$@" >out 2>err || status=$?
	[ "$status" -eq "$want" ] || fail "$*: status $status, not $want: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
	grep -qF -- "$text" err || fail "$*: expected '$text' in: $(cat err)"
}

# The physical setting as an axis: 1 MB over links of 100 and of 400 Gb/s, without delays.
cat >settings.yaml <<'END'
study: Settings
network: xgft:down=4x4,up=1x4
routing: dmodk
traffic: shift:4
methods: [flow]
physical: "{setting}"
grid:
  - setting: ["default:delay=0ps", "default:delay=0ps,rate=400Gb/s"]
trials: 1
END
"$bough" run settings.yaml --out settings >out 2>&1 || fail "settings: $(cat out)"
grep -q "^points differ: links 100Gb/s | 400Gb/s$" out || fail "settings: $(cat out)"
[ "$("$bough" report settings --csv | awk -F, '/,completion_time,/ {printf "%s ", $(NF - 5)}')" = "8e-05 2e-05 " ] ||
	fail "settings: $("$bough" report settings --csv)"

cat >small.yaml <<'END'
study: small
network: fattree:n={n}
traffic: uniform:m={m}
methods: ["circuit:mode=rounds", bins, "circuit:mode=cycles", collision]
grid:
  - n: 2^3..2^6 times 2
  - m: [n/8, n]
trials: 20
plot: {x: n, y: [rounds, norm_cycles]}
END

# ---- dry run: says what would happen, creates nothing ----
"$bough" run small.yaml --dry-run >dry
for text in "points      8, answers 32 (--json lists them)" "estimate" "20 of each" "results/small (nothing was created)"; do
	grep -qF "$text" dry || fail "--dry-run does not say '$text': $(cat dry)"
done
[ "$(wc -l <dry)" -eq 8 ] || fail "--dry-run has not eight lines: $(cat dry)"
COLUMNS=100 "$bough" run small.yaml --dry-run --precision 2% >dry
[ "$(wc -l <dry)" -eq 8 ] || fail "--dry-run of a precision has not eight lines: $(cat dry)"
"$bough" run small.yaml --dry-run --set n=64 --set m=64 >dry
for text in "1. n=64 m=64" "fattree:n=64" "uniform:m=64" "bins:model=1" "exact"; do
	grep -qF "$text" dry || fail "--dry-run of one point does not say '$text': $(cat dry)"
done
[ ! -e results ] || fail "--dry-run created results"

# ---- a run, and the report again ----
COLUMNS=80
export COLUMNS
"$bough" run small.yaml >table 2>err
[ ! -s err ] || fail "run said $(cat err)"
[ -f results/small/results.sqlite ] || fail "no results.sqlite"
[ "$(awk 'length > 80' table | wc -l)" -eq 0 ] || fail "the table is wider than 80 columns: $(cat table)"
"$bough" report results/small | cmp - table || fail "report prints another table"
"$bough" report results/small/results.sqlite | cmp - table || fail "report does not take the file"
"$bough" report results/small --csv | cmp - results/small/results.csv || fail "report --csv differs from results.csv"
"$bough" report results/small --json | cmp - results/small/results.json || fail "report --json differs from results.json"
"$bough" run small.yaml --csv | cmp - results/small/results.csv || fail "run --csv differs from results.csv"
[ -z "$(find results/small -name "*part*")" ] || fail "temporary files are left"
for threads in 1 2 3; do
	"$bough" run small.yaml --threads "$threads" --out "t$threads" >/dev/null
	cmp "t$threads/results.json" results/small/results.json || fail "$threads threads change results.json"
	cmp "t$threads/results.csv" results/small/results.csv || fail "$threads threads change results.csv"
done

# ---- a file that a method reads is part of the question ----

printf 'metric,value\nrounds,5\n' >printed.csv
cat >printed.yaml <<'END'
study: printed
network: fattree:n=16
traffic: uniform:m=16
methods: ["data:printed.csv", "circuit:mode=rounds"]
trials: 10
END
"$bough" run printed.yaml --out printed >/dev/null 2>&1 || fail "printed.yaml does not run"
printf 'metric,value,ci95\nrounds,6,0.5\n' >printed.csv
expect 2 "the file of method data:file=printed.csv has changed" "$bough" run printed.yaml --out printed
"$bough" run printed.yaml --out printed2 --csv 2>/dev/null | grep -q 'rounds,,rounds,6,0.5,6,6,1,ok' ||
	fail "a printed value's interval is lost"

# ---- more trials go on; another study is refused and changes nothing ----
"$bough" run small.yaml --trials 50 --out fresh >/dev/null
"$bough" run small.yaml --trials 50 --out t1 >/dev/null
cmp t1/results.csv fresh/results.csv || fail "going on to 50 trials differs from 50 trials at once"
"$bough" run small.yaml --precision rounds:10% --out p1 --threads 1 >/dev/null
"$bough" run small.yaml --precision rounds:10% --out t1 --threads 3 >/dev/null
cmp t1/results.csv p1/results.csv || fail "precision differs after 50 trials"
expect 2 "seed 1, now 2" "$bough" run small.yaml --set seed=2 --out t1
expect 2 "--out" "$bough" run small.yaml --set n=8 --out t1
cmp t1/results.csv p1/results.csv || fail "a refused study changed the results"
"$bough" run small.yaml --set "n=2^3..2^5 times 2" --set "m=[n]" --trials 2 --out set --csv >set.csv
[ "$(cut -d, -f1,2 set.csv | sort -u | grep -c ,)" -eq 4 ] || fail "--set did not make three points: $(cat set.csv)"
expect 2 "small.yaml:2" "$bough" run small.yaml --set n=12 --set m=1 --out set2
[ ! -e set2 ] || fail "a refused study created its directory"
expect 2 "no such file, and no built-in study" "$bough" run smal.yaml
mkdir dir.txt && echo text >dir.txt/results.sqlite
expect 2 "is not a result file of bough" "$bough" run small.yaml --out dir.txt
echo text >file
expect 2 "cannot be created" "$bough" run small.yaml --out file

# ---- a study that is long enough to be caught in the middle ----
cat >long.yaml <<'END'
study: long
network: fattree:n={n}
traffic: uniform
methods: [bins, "circuit:mode=rounds"]
grid:
  - n: [64, 256]
END

# Trials in a store so far.
kept() {
	"$bough" report "$1" --csv 2>/dev/null | awk -F, '$6 == "rounds" { sum += $13 } END { print sum + 0 }'
}

# A process that ended and waits for being waited for is not alive.
alive() {
	[ -r "/proc/$1/status" ] && ! grep -q "^State:[[:space:]]*Z" "/proc/$1/status" 2>/dev/null
}

# start DIR: runs the long study in the background; sets pid. Waits until more trials are kept than before, or it is over.
start() {
	before=$(kept "$1")
	"$bough" run long.yaml --trials "$trials" --threads 2 --out "$1" >/dev/null 2>err &
	pid=$!
	while [ "$(kept "$1")" -le "$before" ] && alive "$pid"; do sleep 0.05; done
}

# catch SIGNAL STATUS DIR: starts the study there and sends the signal (twice, as timeout does), until it was in time: the
# process has to end with that status. However fast the machine is, with more trials it will be.
trials=2000
catch() {
	while :; do
		start "$3"
		kill "-$1" "$pid" 2>/dev/null || true
		(: a moment)
		kill "-$1" "$pid" 2>/dev/null || true
		status=0
		wait "$pid" 2>/dev/null || status=$?
		# results.csv is written last: a run that was killed behind that was over too
		{ [ "$status" -ne 0 ] && ! { [ "$1" = KILL ] && [ -e "$3/results.csv" ]; }; } || {
			trials=$((trials * 4))
			rm -rf "$3"
			continue
		}
		[ "$status" -eq "$2" ] || fail "SIG$1: status $status: $(cat err)"
		return
	done
}

# same_as_whole DIR: goes on to the end there; the results have to be those of a run that was not disturbed.
same_as_whole() {
	if [ ! -d "whole.$trials" ]; then
		"$bough" run long.yaml --trials "$trials" --threads 2 --out "whole.$trials" >"table.$trials"
	fi
	"$bough" run long.yaml --trials "$trials" --threads 1 --out "$1" >table
	cmp "$1/results.csv" "whole.$trials/results.csv" || fail "results.csv of $1 differs"
	cmp "$1/results.json" "whole.$trials/results.json" || fail "results.json of $1 differs"
	cmp table "table.$trials" || fail "the table of $1 differs"
}

# Killed three times.
for round in 1 2 3; do
	catch KILL 137 killed
	echo "killed $round: $(kept killed) trials of 4 x $trials are kept"
done
"$bough" report killed >partial 2>err
grep -q "is not finished" err || fail "report of a partial run: $(cat err)"
grep -q "partial" partial || fail "the table does not say what is partial: $(cat partial)"
same_as_whole killed

# A second process is refused while one works.
while :; do
	start busy
	kill -STOP "$pid" 2>/dev/null || true
	status=0
	"$bough" run long.yaml --trials "$trials" --out busy >out 2>err || status=$?
	kill -KILL "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
	[ "$status" -eq 0 ] || break # else the first was over too soon
	trials=$((trials * 4))
	rm -rf busy
done
[ "$status" -eq 2 ] || fail "a second process: status $status: $(cat err)"
[ "$(wc -l <err)" -eq 1 ] || fail "a second process: $(cat err)"
grep -q "another process" err || fail "a second process: $(cat err)"
same_as_whole busy

# SIGINT, SIGTERM and SIGHUP end it cleanly.
for signal in INT TERM HUP; do
	rm -rf stopped
	catch "$signal" 130 stopped
	[ "$(wc -l <err)" -eq 1 ] || fail "SIG$signal: not one line: $(cat err)"
	grep -q "interrupted; .* again to resume" err || fail "SIG$signal: $(cat err)"
	[ ! -e stopped/results.csv ] || fail "SIG$signal: half a result was written"
	same_as_whole stopped
done

# ---- a full disk: one line, status 1; with room again it goes on ----
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=96k none "$tmp/disk" 2>/dev/null; then
	mounted=$tmp/disk
	"$bough" run long.yaml --trials 5000 --out roomy >/dev/null
	expect 1 "disk is full" "$bough" run long.yaml --trials 5000 --out disk/out
	"$bough" report disk/out >/dev/null 2>&1 || [ ! -s disk/out/results.sqlite ] || fail "the store cannot be read after the disk was full"
	expect 1 "" "$bough" run long.yaml --trials 5000 --out disk/out
	mount -o remount,size=64m none "$mounted"
	"$bough" run long.yaml --trials 5000 --out disk/out >/dev/null
	cmp disk/out/results.csv roomy/results.csv || fail "results.csv differs after the disk was full"
else
	echo "not root, or no mount: the full disk is not tested"
fi
if [ -w /dev/full ]; then
	status=0
	"$bough" run small.yaml --out results/small >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ] || fail "/dev/full: status $status"
fi
echo "study_test: all passed"
