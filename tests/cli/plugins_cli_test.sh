#!/bin/sh
# Plug-ins of the command: where --plugin may stand, and what a store keeps of them. $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
plugins=$(dirname "$bough")/plugins
[ -r "$plugins/opposite.so" ] || {
	echo "no plug-ins in $plugins"
	exit 77
}
cp "$plugins/opposite.so" "$plugins/paths.so" .

# ---- before the command and behind it, in two spellings ----
right "distance" sim fattree:n=16 opposite paths --routing dmodk --plugin opposite.so --plugin=paths.so
cp out behind
for words in "--plugin opposite.so --plugin paths.so" "--plugin=opposite.so --plugin=paths.so" "--plugin opposite.so --plugin=paths.so" \
	"--plugin=paths.so --plugin opposite.so"; do
	# shellcheck disable=SC2086
	right "distance" $words sim fattree:n=16 opposite paths --routing dmodk
	cmp out behind || fail "$words before the command: $(cat out)"
done
right "distance" --plugin opposite.so sim fattree:n=16 opposite paths --routing dmodk --plugin paths.so
cmp out behind || fail "one before and one behind: $(cat out)"
right "opposite" --plugin paths.so --plugin opposite.so list traffic
wrong 2 "neither a traffic nor a method" --plugin opposite.so sim fattree:n=16 opposite paths --routing dmodk
wrong 2 "the name 'opposite' is in use" --plugin opposite.so --plugin opposite.so sim fattree:n=16 opposite circuit
wrong 2 "none.so" --plugin opposite.so --plugin none.so sim fattree:n=16 opposite circuit
"$bough" --plugin opposite.so >out 2>err && fail "a plug-in without a command"
"$bough" --plugin opposite.so --plugin >out 2>err && fail "a plug-in without a file"

# ---- a store recognises other code of the same name ----
cat >study.yaml <<'YAML'
network: fattree:n=16
traffic: opposite
methods: circuit
trials: 20
YAML
right "rounds" run study.yaml --plugin opposite.so -o store
cp out first
right "rounds" run study.yaml --plugin opposite.so -o store
cmp out first || fail "a second run differs: $(cat out)"
printf 'another build' >>opposite.so # behind what the loader reads
wrong 2 "the file of traffic opposite" run study.yaml --plugin opposite.so -o store
right "rounds" run study.yaml --plugin opposite.so -o other
cmp out first || fail "the other build differs: $(cat out)"
right "rounds" report store # needs no plug-in
cmp out first || fail "the report differs: $(cat out)"
