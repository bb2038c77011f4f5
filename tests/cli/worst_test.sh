#!/bin/sh
# The worst permutation: bough check --worst, the method adversary, and the file both write.
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
wrong 2 "--worst takes no value" check "$fabric" --worst=1
wrong 2 "--permutation needs a value" check "$fabric" --permutation
wrong 2 "nowhere/w.csv: cannot be written" check "$fabric" --lft "$ftree" --permutation nowhere/w.csv
wrong 2 "--permutation writes that of one routing, and 2 are given" \
	check --details "$fabric" --lft "$ftree" --lft "$updn" --permutation w.csv
wrong 2 "at most 2048 are supported under \`random\`" check kary:k=16,levels=3 --worst --routing random
wrong 2 "adversary needs an oblivious routing: under \`least\` the path of a flow depends on other traffic" \
	sim "ibnet:$fabric" adversary --routing least
wrong 2 "adversary needs an oblivious routing" sim fattree:n=16 adversary --routing first
wrong 2 "at most 65536" sim fattree:n=2^17 adversary --routing dmodk
wrong 2 "nowhere/w.csv: cannot be written" sim fattree:n=16 adversary:out=nowhere/w.csv --routing dmodk
wrong 2 "would write w.csv again" sim fattree:n=16 adversary:out=w.csv --routing dmodk --routing smodk
[ ! -e w.csv ] || fail "a refused command wrote w.csv"

# ---- check: by itself where it costs little ----
right "worst       12 flows on one link; no permutation causes more" check --details "$fabric" --lft "$ftree" --order name
also "random permutations and the worst one"
right "routing                routed  all-to-all  shift   mean  random  worst" \
	check --details "$fabric" --lft "$ftree" --lft "$updn" --order name
right "shifts and random permutations" check --details "$fabric"
grep -q "^worst" out && fail "the worst permutation of a random routing, unasked"
right "expected on one link" check --details "$fabric" --worst
right '"worst_permutation": ' check --details "$fabric" --lft "$ftree" --json # as the text
right '"unused_links"' check --details "$fabric" --json
json '"worst_permutation" not in o["results"][0]' # of a random routing, unasked
right '"worst_permutation": 12' check --details "$fabric" --lft "$ftree" --order name --worst --json
json 'all(r["worst_permutation_bound"] <= r["worst_permutation_counted"] <= 12 and " -> " in r["worst_permutation_link"] for r in o["results"])'
right '"worst_permutation"' check --details "$fabric" --lft "$ftree" --lft "$updn" --worst --json --trials 0
json 'all(r["worst_permutation"] >= r["shift_max"] for r in o["results"])'

# ---- too large to look for it: a lower bound, in the text and in JSON ----
large=clos:radix=32,hosts=12800
right "at least " check --details "$large" --routing dmodk --trials 0
least=$(sed -n 's/^worst  *at least \([0-9]*\) flow.*/\1/p' out)
right '"worst_permutation_least"' check --details "$large" --routing dmodk --trials 0 --json
json "o['results'][0]['worst_permutation_least'] == $least > 1 and 'worst_permutation' not in o['results'][0]"
right '"worst_permutation"' check --details "$fabric" --lft "$ftree" --json
json '"worst_permutation_least" not in o["results"][0]'

# ---- the file, as traffic, gives the number ----
loads() { # NETWORK ROUTING FILE: what linkload says of it
	"$bough" sim "$1" "messages:$3" linkload --routing "$2" --csv | awk -F, '{ for (i = 1; i <= NF; i++) if ($i == "link_load_max") print $0 }'
}
same() { # VALUE NETWORK ROUTING FILE
	case ,$(loads "$2" "$3" "$4"), in
	*,link_load_max,*,"$1",*) ;;
	*) fail "$4 under $3 does not come to $1: $(loads "$2" "$3" "$4")" ;;
	esac
}
right "worst       12 flows" check --details "$fabric" --lft "$ftree" --permutation w.csv
! ls -A | grep "part$" || fail "a part of a file is left"
[ "$(grep -c '^[0-9]*,[0-9]*$' w.csv)" -eq 95 ] || fail "w.csv is no permutation of 95: $(cat w.csv)"
[ "$(sed -n 's/^[0-9]*,\([0-9]*\)$/\1/p' w.csv | sort -u | wc -l)" -eq 95 ] || fail "w.csv is no permutation"
grep -q "^# 12 flows over " w.csv || fail "w.csv does not say what it is: $(head -n 3 w.csv)"
same 12 "ibnet:$fabric" "lft:$ftree" w.csv
cp w.csv before
right "adversary: 12 flows over " sim "ibnet:$fabric" adversary:out=w.csv --routing "lft:$ftree"
cmp w.csv before || fail "check and sim write different files"
right "link_load_max" sim kary:k=4,levels=3 adversary:out=k.csv --routing hash
worst=$("$bough" sim kary:k=4,levels=3 adversary --routing hash --json | sed -n 's/.*"metric": "link_load_max".*"mean": \([0-9]*\).*/\1/p')
same "$worst" kary:k=4,levels=3 hash k.csv

# ---- threads change nothing; a stop is a stop ----
"$bough" check --details "$fabric" --lft "$updn" --worst --permutation one.csv --threads 1 >one
for threads in 2 5; do
	"$bough" check --details "$fabric" --lft "$updn" --worst --permutation many.csv --threads "$threads" >many
	if ! cmp -s one many || ! cmp -s one.csv many.csv; then fail "$threads threads: another result"; fi
done
status=0
timeout -s INT 4 "$bough" sim kary:k=40,levels=3 adversary:out=stopped.csv --routing dmodk >out 2>err || status=$?
[ ! -s out ] || fail "a stopped search printed $(cat out)"
grep -qx "bough: interrupted" err || fail "a stopped search said $(cat err)"
[ ! -e stopped.csv ] || fail "a stopped search wrote its file"
# Two signals at once are one; a later one ends the program as it is.
for apart in 0 1; do
	"$bough" sim kary:k=40,levels=3 adversary --routing dmodk >out 2>err &
	pid=$!
	sleep 3
	kill -TERM "$pid"
	sleep "$apart"
	kill -TERM "$pid" 2>/dev/null || true
	status=0
	wait "$pid" || status=$?
	case $apart$status in
	0130 | 1130 | 1143) ;;
	*) fail "two signals $apart s apart: status $status, $(cat err)" ;;
	esac
done

# ---- a study writes when it runs, not when it is forecast ----
cat >own.yaml <<'END'
network: fattree:n={n}
routing: dmodk
methods: ["adversary:out=own-{n}.csv"]
grid:
  - n: [16, 32]
END
"$bough" run own.yaml --dry-run >/dev/null
[ ! -e own-16.csv ] || fail "--dry-run wrote own-16.csv"
"$bough" run own.yaml >/dev/null
if [ ! -s own-16.csv ] || [ ! -s own-32.csv ]; then fail "the study wrote no permutations"; fi

# ---- the embedded study: what is there ----
wrong 2 "is false for all; --set replaces the values of an axis, as in --set data=..." run adversary/fabrics --set data=nowhere
mkdir -p here/fabrics
cp "$fabric" here/fabrics/mine.ibnetdiscover
cp "$ftree" here/fabrics/mine.ftree.lfts.gz
cp "$updn" here/fabrics/mine-updn.lfts.gz
right "link_load_max" run adversary/fabrics --set data=here --set 'fabric=["fabrics/mine"]' --trials 16
[ "$(grep -c 'adversary .* exact' out)" -eq 2 ] || fail "not the two tables that are there: $(cat out)"

# ---- the figures of shared/data ----
shared=$2/../shared/data
[ -d "$shared/fabrics" ] || exit 0
check_worst() { # LOAD FABRIC TABLES
	right "\"worst_permutation\": $1," check --details "$shared/$2" --lft "$shared/$3" --worst --permutation real.csv --json --trials 0
	same "$1" "ibnet:$shared/$2" "lft:$shared/$3" real.csv
}
check_worst 16 fabrics/avakas.ports fabrics/avakas.ibroute.gz
check_worst 7 ibsim/ft3-128.ibnetdiscover ibsim/ft3-128.ftree.lfts.gz
check_worst 16 ibsim/ft3-128.ibnetdiscover ibsim/ft3-128.updn.lfts.gz
check_worst 8 fabrics/psmn-x5.opensm.ibnetdiscover fabrics/psmn-x5.opensm-updn.lfts.gz
plafrim=fabrics/plafrim2-a
right "2115 of 9120 pairs have no route: miriel017 to miriel075" \
	sim "ibnet:$shared/$plafrim.ports,order=lid" adversary --routing "lft:$shared/$plafrim.ibroute"
also "partial"
