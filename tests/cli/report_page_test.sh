#!/bin/sh
# --html of run, report and check: a whole file, or one line that says why there is none. What is on the page:
# tests/web, and static_page.py where the build has no script for it.
# $1: bough, $2: the source directory.
set -eu
bough=$1
fabric=$2/examples/fabric/cluster.ibnetdiscover
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

printf 'network: fattree:n={n}\nmethods: [collision]\ngrid: [n: [16, 32]]\n' >small.yaml
right "collision" run small.yaml --out small --set seed=7

wrong 2 "nosuch/x.html: cannot be written" report small --html nosuch/x.html
wrong 2 "nosuch/x.html: cannot be written" check "$fabric" --html nosuch/x.html
wrong 2 "nosuch: cannot be opened" report nosuch --html x.html
[ ! -e x.html ] || fail "there is a page without results"

right "collision" report small --html x.html
cmp x.html small/report.html || fail "run and report write different pages"
if ! grep -q "^<!DOCTYPE html>" x.html || [ "$(tail -n 1 x.html)" != "</html>" ]; then fail "no whole page"; fi
grep -q 'bough run small.yaml --set seed=7' x.html || fail "another command"
if grep -q "$tmp" x.html; then fail "the page names the directory"; fi

mkdir elsewhere
cp "$fabric" elsewhere/
right "endpoints" check --details "$fabric" --html a.html
right "endpoints" check --details elsewhere/cluster.ibnetdiscover --html b.html
cmp a.html b.html || fail "the page depends on where the fabric lies"
mkdir "else, and some where"
cp "$fabric" "else, and some where/"
right "endpoints" check --details "else, and some where/cluster.ibnetdiscover" --html d.html
if grep -q "some where" d.html; then fail "the page names the directory: a path was folded"; fi
right '"endpoints": 95' check --details "$fabric" --html c.html --json
cmp a.html c.html || fail "the page depends on --json"

# Many results: the page has the first, and says where all are.
printf 'network: fattree:n=1048576\nmethods: ["collision:matrix=1"]\ngrid: [k: 1..40 step 1]\ntrials: 1\nplot: {y: pr_c2}\n' >many.yaml
"$bough" run many.yaml --out many >out 2>err || fail "status $?: $(cat err)"
results=$(($(wc -l <many/results.csv) - 1))
[ $results -gt 200000 ] || fail "only $results results"
grep -q "The first 2000 of $results results; results.csv has all." many/report.html || fail "a page of all"
[ "$(wc -c <many/report.html)" -lt 2000000 ] || fail "a page of $(wc -c <many/report.html) bytes"
