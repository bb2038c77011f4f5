#!/bin/sh
# bough run and bough net: what is printed does not depend on whether files can be written, --json goes with everything.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

cat >study.yaml <<'END'
study: Rounds
network: fattree:n={n}
traffic: uniform:m={n}
methods: [circuit:mode=rounds, bins:model=1]
grid:
  - n: [16, 32]
trials: 4
END

# ---- --json ----
right '"study": "Rounds"' run study.yaml --dry-run --json
json 'o["schema"] == 2 and o["results"] == "results/study" and o["trials"] == 4 and o["precision"] is None'
json '[p["axes"]["n"] for p in o["points"]] == [16, 32] and len(o["points"][0]["answers"]) == 2'
json 'o["forecast"]["bytes"] > 0 and o["points"][1]["answers"][0]["bytes"] > 0 and o["seed"] == 1'
[ ! -e results ] || fail "--dry-run creates something"
right '"watch": "rounds"' run study.yaml --dry-run --json --precision rounds:1%
json 'o["precision"] == 0.01'
wrong 2 "it does not support CSV" run study.yaml --dry-run --csv
wrong 2 "it does not support CSV" run study.yaml --dry-run --csv-safe
right '"endpoints": 8' net fattree:n=8 -o net.dot --json
json 'o["network"]["spec"] == "fattree:n=8"'
grep -q 'graph bough' net.dot || fail "net -o with --json writes no file"
"$bough" net fattree:n=8 -o net.dot >out 2>err || fail "net -o: $(cat err)"
[ ! -s out ] || fail "net -o prints something"
wrong 2 "needs a file that contains routes" net fattree:n=8 --routing random --json

# ---- files that cannot be written ----
right "Rounds" run study.yaml --out r
cp out first
for file in results.csv results.json report.html; do
	[ -e "r/$file" ] || continue # a build without the page
	rm "r/$file"
	mkdir "r/$file"
	status=0
	"$bough" run study.yaml --out r >out 2>err || status=$?
	[ "$status" -eq 2 ] || fail "$file cannot be written: status $status"
	cmp -s first out || fail "$file cannot be written: results are not printed"
	grep -q "^bough: r/$file: " err || fail "$file cannot be written: $(cat err)"
	[ "$(wc -l <err)" -eq 1 ] || fail "$file cannot be written: $(cat err)"
	rmdir "r/$file"
	rm -f r/results.* # the others are written all the same
	mkdir "r/$file"
	"$bough" run study.yaml --out r >/dev/null 2>&1 || true
	[ "$(find r -type f -name 're*.*' | grep -c 'csv$\|json$\|html$')" -ge 1 ] || fail "nothing is written beside $file"
	rmdir "r/$file"
done
right "Rounds" run study.yaml --out r

# ---- a directory that cannot be written ----
as_nobody=
if [ "$(id -u)" -eq 0 ]; then # for whom every directory can be written
	chmod 755 .
	as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
	$as_nobody "$bough" --version >/dev/null 2>&1 || { echo "no other user may run bough: not looked at"; exit 0; }
fi
chmod -R a-w r
# sealed STATUS TEXT ARGUMENT...
sealed() {
	want=$1
	text=$2
	shift 2
	status=0
	$as_nobody "$bough" "$@" >out 2>err </dev/null || status=$?
	[ "$status" -eq "$want" ] || fail "bough $*: status $status, not $want: $(cat err)"
	cat out err | grep -qF -- "$text" || fail "bough $*: expected '$text': $(cat out err)"
}
sealed 0 "Rounds" run study.yaml --out r
cmp -s first out || fail "results of a directory that cannot be written differ"
sealed 0 '"complete": true' run study.yaml --out r --json
sealed 2 "another number of trials or another precision, and is not writable" run study.yaml --out r --trials 5
sealed 2 "contains the results of another study (seed 1, now 5)" run study.yaml --out r --set seed=5
chmod -R u+w r
