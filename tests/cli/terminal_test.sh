#!/bin/sh
# What is different in a terminal: colours, widths, progress. Terminals are made by `script` (util-linux).
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
escape=$(printf '\033')
unset NO_COLOR LC_ALL LC_CTYPE || true
TERM=xterm
LANG=C.UTF-8
export TERM LANG

cat >study.yaml <<'END'
study: Rounds
network: fattree:n={n}
traffic: uniform:m={n}
methods: [circuit:mode=rounds, bins:model=1]
grid:
  - n: [16, 32, 64]
trials: 4
plot: {x: n, xscale: log2, y: rounds, series: method}
END

# ---- not in a terminal ----
wrong 2 "--ascii needs --plot" run study.yaml --ascii
wrong 2 "--plot adds to the table" run study.yaml --plot --json
wrong 2 "--plot adds to the table" report r --plot --csv
right "o circuit:mode=rounds" run study.yaml --out r --plot
! grep -q "$escape" out || fail "escape sequences in a file"
LC_ALL=C grep -q "$(printf '\342')" out || fail "no braille under UTF-8"
right "o circuit:mode=rounds" report r --plot --ascii
! LC_ALL=C grep -q '[^ -~]' out || fail "--ascii has other characters"
LANG=C
right "o circuit:mode=rounds" report r --plot
! LC_ALL=C grep -q '[^ -~]' out || fail "LANG=C has other characters"
LC_ALL=C.UTF-8
export LC_ALL
right "o circuit:mode=rounds" report r --plot
LC_ALL=C grep -q "$(printf '\342')" out || fail "LC_ALL does not come first"
unset LC_ALL
LANG=C.UTF-8
awk 'length($0) > 300 { exit 1 }' out || fail "a long line"

# ---- in a terminal ----
command -v script >/dev/null || { echo "no script (util-linux): terminals were not looked at"; exit 77; }
# A chroot may have no /dev/pts.
[ "$(script -qec 'echo works' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = works ] ||
	{ echo "no pseudo-terminals: terminals were not looked at"; exit 77; }
# terminal WIDTH COMMAND: standard output and error of a terminal, in the file seen.
terminal() {
	script -qec "stty cols $1 rows 40 2>/dev/null; $2" /dev/null </dev/null | tr -d '\r' >seen
}
terminal 60 "$bough report r --plot"
grep -q "$escape\[[0-9]*m" seen || fail "no colours in a terminal"
grep -q "x bins:model=1" seen || fail "series are told apart by colour only: $(cat seen)"
sed "s/$escape\[[0-9]*m//g" seen | awk 'length($0) > 190 { exit 1 }' || fail "wider than the terminal"
terminal 60 "$bough report r --plot --ascii"
sed "s/$escape\[[0-9]*m//g" seen | sed -n '/^rounds/,$p' | awk 'length($0) > 60 { exit 1 }' ||
	fail "wider than the terminal: $(cat seen)"
sed "s/$escape\[[0-9]*m//g" seen | awk '/---/ { if (length($0) != 60) exit 1 }' || fail "not as wide as the terminal"
for no in NO_COLOR=1 TERM=dumb; do
	terminal 60 "env $no $bough report r --plot"
	! grep -q "$escape" seen || fail "colours in spite of $no"
done
terminal 60 "env NO_COLOR= $bough report r --plot"
grep -q "$escape" seen || fail "an empty NO_COLOR counts"
terminal 60 "env NO_COLOR=1 $bough report r"
! grep -q "$escape" seen || fail "tables have escape sequences in spite of NO_COLOR"

# ---- tables: as wide as the terminal, nothing broken, what matters in colour ----
saturated="$bough sim bft:n=16 poisson:load=0.9,flits=16 worm:messages=1000 queueing --trials 2"
job="$bough sim xgft:down=4x4,up=1x2 allreduce:algo=ring,size=64KB flow loggops packet worm --routing dmodk"
for width in 80 140; do
	for command in "$saturated" "$job"; do
		terminal "$width" "$command 2>/dev/null"
		sed "s/$escape\[[0-9]*m//g" seen | awk -v w="$width" 'length($0) > w { exit 1 }' ||
			fail "wider than $width: $(cat seen)"
		grep -q "$escape\[1m" seen || fail "no headline in bold: $(cat seen)"
	done
	terminal "$width" "$saturated 2>/dev/null"
	grep -q "$escape\[31m.*saturated" seen || fail "saturation is not red: $(cat seen)"
	grep -q "$escape\[33m2 few" seen || fail "few trials are not yellow: $(cat seen)"
done
$job >out 2>err </dev/null || fail "$job: $(cat err)"
! grep -q "$escape" out || fail "escape sequences in a pipe"
awk 'length($0) > 100 { exit 1 }' out || fail "wider than 100 in a pipe"
COLUMNS=72 $saturated >out 2>err </dev/null || fail "$saturated: $(cat err)"
awk 'length($0) > 80 { exit 1 }' out || fail "COLUMNS is not looked at: $(cat out)"
right "$escape[1m" sim fattree:n=16 randperm linkload --color always
right "link_load_max" sim fattree:n=16 randperm linkload --color never
wrong 2 "--color maybe: it is auto, always or never" sim fattree:n=16 randperm linkload --color maybe
terminal 80 "env NO_COLOR=1 $saturated 2>/dev/null"
! grep -q "$escape" seen || fail "colours in spite of NO_COLOR"
terminal 80 "$saturated --color never 2>/dev/null"
! grep -q "$escape" seen || fail "colours in spite of --color never"

# ---- bough check: the same, and short names of tables ----
mkdir -p old/site new/site
cp "$2/examples/fabric/cluster.ftree.lfts.gz" old/site/today.lfts.gz
fabric=$2/examples/fabric/cluster.ibnetdiscover
echo "MF0;core#1-spine:MSB7700/U1" >root
"$bough" net "$fabric" --routing updn:roots=root -o new.lfts >out
gzip -c new.lfts >new/site/today.lfts.gz
check="$bough check --details $fabric --lft $PWD/old/site/today.lfts.gz --lft $PWD/new/site/today.lfts.gz --routing updn"
check="$check --job shift:1 --job randperm --faults each:switch --faults 'links:share=0..4% step 2%' --trials 2"
# widest WIDTH FILE: no line is wider, but for one word that does not fit, such as a path.
widest() {
	sed "s/$escape\[[0-9]*m//g" "$2" | awk -v w="$1" 'length($0) > w && NF > 2 { exit 1 }' || fail "wider than $1: $(cat "$2")"
}
for width in 80 140; do
	terminal "$width" "$check 2>/dev/null"
	widest "$width" seen
	grep -q "$escape\[33musable$escape\[0m" seen || fail "usable is not yellow: $(cat seen)"
	grep -q "$escape\[31mbad$escape\[0m" seen || fail "bad is not red: $(cat seen)"
	grep -q "$escape\[33mwarn$escape\[0m" seen || fail "warnings are not yellow: $(cat seen)"
	! grep -q '\.\.\.[^ ]' seen || fail "a name is cut: $(cat seen)"
done
terminal 140 "$check 2>/dev/null"
grep -q "^old/site/today.lfts.gz  *8930  *252" seen || fail "names are above rows where there is room: $(cat seen)"
terminal 80 "env NO_COLOR=1 $check 2>/dev/null"
! grep -q "$escape" seen || fail "check has colours in spite of NO_COLOR"
terminal 80 "$check --color never 2>/dev/null"
! grep -q "$escape" seen || fail "check has colours in spite of --color never"
eval "$check" >out 2>err </dev/null || fail "$check: $(cat err)"
! grep -q "$escape" out || fail "check has escape sequences in a pipe"
widest 100 out
eval "COLUMNS=60 $check" >out 2>err </dev/null || fail "$check: $(cat err)"
widest 60 out
right "$escape[32mgood" check --details fattree:n=16 --color always
# one screen has the ratings in a column, at any width
for width in 80 140; do
	terminal "$width" "$bough check $fabric --lft $PWD/old/site/today.lfts.gz --lft $PWD/new/site/today.lfts.gz 2>/dev/null"
	widest "$width" seen
	grep -q "$escape\[33musable$escape\[0m" seen || fail "usable is not yellow: $(cat seen)"
	grep -q "$escape\[31mbad$escape\[0m" seen || fail "bad is not red: $(cat seen)"
done
wrong 2 "--color maybe: it is auto, always or never" check fattree:n=16 --color maybe
gzip -cd "$2/examples/fabric/cluster.ftree.lfts.gz" | head -c 60000 >half.lfts
right "$escape[31merror" check --details "$fabric" --lft half.lfts --color always
right '"rating"' check --details "$fabric" --lft half.lfts --color always --json
! grep -q "$escape" out || fail "JSON has colours"

# ---- progress ----
# Commands that wait or prepare say so. Every command that reads a network waits here for its file.
mkfifo slow
for command in "net" "sim" "check" "tune"; do
	case $command in
	sim) rest="shift linkload" ;;
	*) rest= ;;
	esac
	(sleep 4 >slow) &
	terminal 60 "$bough $command - $rest <slow"
	wait
	tr '\033' '\n' <seen | grep -q '[234].* s, preparing' || fail "bough $command: silent: $(cat seen)"
done
(sleep 4 >slow) &
terminal 60 "$bough run - <slow"
wait
tr '\033' '\n' <seen | grep -q '[234].* s, preparing' || fail "bough run: silent: $(cat seen)"
# Work whose share is known.
terminal 60 "timeout 6 $bough net butterfly:n=65536 --check"
tr '\033' '\n' <seen | grep -q '%.*\[[#.]*\].*left, [lgr]' || fail "net --check: no progress: $(cat seen)"
terminal 60 "timeout 6 $bough plan --hosts 1e6 --radix 1024 --taper 1000"
tr '\033' '\n' <seen | grep -q '%.*\[[#.]*\].*trees' || fail "plan: no progress: $(cat seen)"
terminal 60 "timeout 8 $bough tune clos:hosts=4096 --effort 0.5"
tr '\033' '\n' <seen | grep -q '%.*\[[#.]*\].*starts' || fail "tune: no progress: $(cat seen)"
cat >long.yaml <<'END'
study: Long
network: fattree:n={n}
traffic: uniform:m={n}
methods: ["circuit:mode=cycles,retry=backoff"]
grid:
  - n: [1024, 8192]
trials: 400
END
terminal 70 "timeout -s INT 6 $bough run long.yaml --out p"
tr '\033' '\n' <seen | grep '%' >progress || fail "no progress in a terminal: $(cat seen)"
grep -q '%.*\[[#.]*\].*left, n=[18]' progress || fail "no time left, or not where it is: $(head -3 progress)"
sed 's/^\[K//' progress | awk 'length($0) > 69 { exit 1 }' || fail "progress is wider than the terminal"
timeout -s INT 3 "$bough" run long.yaml --out p >out 2>err </dev/null || true
! grep -q '%' err || fail "progress without a terminal: $(cat err)"
