#!/bin/sh
# bough list: everything that there is, each in detail, and what fits a network.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

wrong 2 "list takes at most a kind and a name" list a b c
# names that the field uses
for name in networks topologies; do
	right "network families" list $name
	also "  torus "
done
right "  hash " list ecmp
also "    alias    ecmp"
wrong 2 "no kind and no name 'zzzz'; kinds are families" list zzzz
wrong 2 "jellyfish is no family; its graph is read from a file" list jellyfish
wrong 2 "polarfly is no family; its graph is read from a file" list families polarfly
wrong 2 "did you mean 'linkload'" list linkloda
wrong 2 "did you mean 'families'" list familys
wrong 2 "no 'fatree' among the families (did you mean 'fattree'" list families fatree
wrong 2 "unknown option '--sauce' (did you mean '--source'" list --sauce
wrong 2 "n=12 is not a power of two" list --for fattree:n=12
wrong 2 "lft does not fit fattree:n=8" list routings lft --for fattree:n=8

wrong 2 "'flow' is not a kind, so 'loggops' is unexpected; kinds are families" list flow loggops

right "network families" list
also "routings" "traffic" "methods" "formats" "metrics" "studies"
cp out everything

# Every line of a kind's list is in the whole list, and is a name that has details. Of the hundreds of metrics and studies
# every eighth is asked for with its kind.
for kind in families routings traffic patterns methods formats metrics studies; do
	"$bough" list "$kind" >lines || fail "list $kind"
	sed -i '/^  [^ ]/!d' lines
	[ -s lines ] || [ "$kind" = studies ] || fail "list $kind is empty"
	if grep -vxFf everything lines >missing; then fail "not in the whole list: $(cat missing)"; fi
	at=0
	while read -r name _; do
		right "$name" list "$name"
		case $kind:$((at % 8)) in
		metrics:[1-7] | studies:[1-7]) ;;
		*) right "$name" list "$kind" "$name" ;;
		esac
		at=$((at + 1))
	done <lines
done

right "default rounds" list methods circuit
also "headline metric: rounds" "0 to 2^20" "1 to 1000000000" "source: strumpen2005"
right "required" list families ibnet
right "alias    bitreverse" list bitrev
right "address bits reversed" list bitreverse
right "streams: may use it as their pattern" list patterns hotspot
right "rate * flits" list patterns poisson
also "default 32" "default uniform" "default queueing"
grep -q "as their pattern" out && fail "a stream is no pattern"
right "use: export" list formats block.conf
right "unit: flows" list metrics link_load_max
right "source: " list methods --source

right "valiant" list routings --for fattree:n=8
grep -q '^  lft ' out && fail "lft fits fattree:n=8"
right "dmodk" list routings --for fattree:n=8
right "lft" list routings --for "$source/examples/fabric/cluster.ibnetdiscover"
grep -q '^  dmodk ' out && fail "dmodk fits a fabric"

right '"families": [' list --json
also '"key": "n", "type": "integer", "min":' '"pattern": true' '"headline_metric": "rounds"'
wrong 2 "--json lists everything; it takes no kind, no name and no other option" list methods --json

closed list
right "usage: bough list" list --help
also "--for NETWORK" "--source"
