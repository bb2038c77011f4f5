#!/bin/sh
# bough check FABRIC --expect PLAN: the example fabric against plans of it.
# $1: bough, $2: the source directory.
set -eu
bough=$1
example=$2/examples/fabric

# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
unfolded
fabric=$example/cluster.ibnetdiscover
ethernet=$2/examples/ethernet/leaf-spine.csv

# ---- wrong plans: place and reason ----
printf 'node,port,node,port\na,1,b,2\na,1,c,1\n' >twice.csv
printf 'from,to\na,b\n' >columns.csv
printf 'node,port,node,port\na,1,,2\n' >field.csv
printf 'Device A,Device A\na,b\n' >side.csv
printf 'node,port,node,port\na,1,b,2\n' >foreign.csv
wrong 2 "twice.csv:3: a has two cables at one port; the other is on line 2" check "$fabric" --expect twice.csv
wrong 2 "columns.csv:1: is not a fabric file" check "$fabric" --expect columns.csv
wrong 2 "field.csv:2: column 3: missing node name" check "$fabric" --expect field.csv
wrong 2 "side.csv:1: column 2: node of side a is given twice" check "$fabric" --expect side.csv
wrong 2 "no name in it is in" check "$fabric" --expect foreign.csv
wrong 2 "needs a fabric file" check xgft:down=2x2,up=1x2 --expect "$ethernet"
wrong 2 "of --faults it takes each: and curves only" check "$fabric" --expect regular --faults cables:count=1

# ---- plans ----
right "157 of 157 planned cables are in place" check --details "$fabric" --expect "$fabric" --trials 0 --fail-on error
right "no deviations" check --details "$ethernet" --expect "$ethernet" --trials 0
right "2 missing cables, 1 part of another size" check --details "$fabric" --expect regular --trials 0
right "8 leaves with 12 hosts" check --details "$fabric" --expect xgft:down=12x8,up=1x4,links=1x2 --trials 0
# Ports with names that end in numbers are compared, also with numbers alone.
awk -F, -v OFS=, 'NR > 1 && $2 ~ /^[0-9]/ { $2 = "swp" $2 } NR > 1 && $4 ~ /^[0-9]/ { $4 = "Ethernet1/" $4 } { print }' "$ethernet" >named.csv
grep -q ',swp49,spine1,Ethernet1/' named.csv || fail "no names of ports"
right "64 of 64 planned cables are in place" check --details named.csv --expect "$ethernet" --trials 0
sed 's/leaf1,swp49,/leaf1,swp53,/' named.csv >other-port.csv
right "leaf1/53 -> spine1/1: at another port; planned: leaf1/49 -> spine1/1 (plan-port)" check --details other-port.csv --expect named.csv --trials 0
# A missing cable is a warning: exit status 3 with --fail-on warn.
sed '$d' "$ethernet" >short.csv
right "leaf4/52 -> spine2/8: this cable is missing" check --details short.csv --expect "$ethernet" --trials 0
"$bough" check --details short.csv --expect "$ethernet" --trials 0 --fail-on warn >/dev/null && exit 1 || test $? = 3
