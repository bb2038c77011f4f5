#!/bin/sh
# Memory that runs out: a fixed sample of tests/campaign/alloc.py over all commands, twelve cases a command, each verb once (scripts/campaign
# has many).
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2

command -v python3 >/dev/null || exit 77
[ -f "$(dirname "$bough")/libfault_alloc.so" ] || exit 77
python3 "$source/tests/campaign/alloc.py" "$bough" "$source" --cases 144 --seed 1
# One after another, where one that failed once kept an engine from ending.
python3 "$source/tests/campaign/alloc.py" "$bough" "$source" --cases 80 \
	--words 'sim bft:n=64 poisson:load=0.5 worm:messages=100,warmup=100 --trials 1'
# The first allocation of a document, and a text that is looked at before it is appended.
for words in 'sim fattree:n=8 shift collision' 'list methods circuit'; do
	python3 "$source/tests/campaign/alloc.py" "$bough" "$source" --cases 2000 --words "$words"
done
