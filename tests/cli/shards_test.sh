#!/bin/sh
# bough run --shard and bough merge: what is refused, and joined stores that equal that of one run, bit for bit.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

cat >study.yaml <<'END'
study: Shards
network: fattree:n={n}
traffic: uniform:m={n}
methods: ["circuit:mode=rounds,history=1", bins, bound]
grid:
  - n: 2^3..2^8 times 2
precision: 5%
trials: 100
END
sed 's/2^8/2^7/' study.yaml >other.yaml

# ---- refused ----
for shard in 0/4 5/4 x 4 4/ /4 1/2/3 -1/4 1/-4 ' 1/4' 1/4x 0x1/4 1/1000001 99999999999999999999/99999999999999999999; do
	wrong 2 "write I/N with 1 <= I <= N" run study.yaml --shard "$shard" -o no
done
wrong 2 "--shard needs a value" run study.yaml --shard
wrong 2 "--shard is given twice" run study.yaml --shard 1/2 --shard 2/2
wrong 2 "leave out --shard" run study.yaml --shard 1/2 --dry-run
wrong 2 "unknown option '--shard'" check fabric --shard 1/2
wrong 2 "unknown option '--shard'" merge -o no --shard 1/2 a
wrong 2 "the directory of the result is missing" merge a b
wrong 2 "the stores are missing" merge -o no
wrong 2 "a: cannot be opened" merge -o no a
mkdir empty
wrong 2 "contains no results.sqlite" merge -o no empty
[ ! -e no ] || fail "a refused command has created a directory"

# ---- shards ----
"$bough" run study.yaml -o alone >/dev/null 2>err || fail "$(cat err)"
for i in 1 2 3; do
	"$bough" run study.yaml --shard $i/3 -o part$i >out$i 2>err || fail "$(cat err)"
	grep -q "^bough: shard $i of 3 has [1-6] of 6 points; the others: " err || fail "shard $i: $(cat err)"
	"$bough" report part$i >again 2>err || fail "$(cat err)"
	cmp -s again out$i || fail "bough report prints another table of shard $i"
	grep -q "^bough: shard $i of 3 has [1-6] of 6 points; the others: " err || fail "report of shard $i: $(cat err)"
done
tail -q -n +2 part?/results.csv | sort >parts
tail -n +2 alone/results.csv | sort | cmp - parts || fail "the shards have other rows than the study"
wrong 2 "contains shard 1/3; give the same --shard" run study.yaml --shard 2/3 -o part1
wrong 2 "contains shard 1/3; give the same --shard" run study.yaml --shard 1/2 -o part1
wrong 2 "contains shard 1/3; give the same --shard" run study.yaml -o part1
wrong 2 "contains the whole study; give the same --shard" run study.yaml --shard 1/3 -o alone
# more shards than points: some are empty
"$bough" run study.yaml --shard 7/7 -o none >/dev/null 2>err || fail "an empty shard: $(cat err)"
grep -q "shard 7 of 7 has 0 of 6 points" err || fail "an empty shard: $(cat err)"

# ---- joined ----
right "joined: 6 points, 18 of 18 answers complete" merge -o joined part1 part2 part3
[ "$(wc -l <out)" -eq 1 ] || fail "merge prints $(cat out)"
wrong 2 "exists already" merge -o joined part1
wrong 2 "exists already" merge -o part1 part1
same() {
	command -v python3 >/dev/null || return 0
	for store; do python3 "$source/tests/cli/store_trials.py" "$store" >"$store.trials"; done
	cmp "$1.trials" "$2.trials" || fail "$1 and $2 have other trials"
}
same alone joined
"$bough" report alone >table
"$bough" report joined | cmp - table || fail "another table"
# a finished study: nothing is computed again
"$bough" run study.yaml -o joined --json >joined.json 2>err || fail "$(cat err)"
"$bough" run study.yaml -o alone --json | cmp - joined.json || fail "another JSON object"
same alone joined

# a missing shard: the line says how to complete the study, and that does
right "answers are missing; complete them with: bough run study.yaml -o partly" merge -o partly part3 part1
if "$bough" report partly 2>&1 | cmp -s - table; then fail "a partly finished study has the whole table"; fi
"$bough" run study.yaml -o partly >/dev/null 2>err || fail "$(cat err)"
same alone partly

# overlapping stores: equal trials are joined, the longer answer counts
right "18 of 18 answers complete" merge -o twice part1 alone part1
same alone twice

# ---- stores that do not belong together ----
"$bough" run other.yaml -o other >/dev/null 2>err
wrong 2 "other: contains another study than part1 (6 points over 1 axis, now 5 over 1)" merge -o no part1 other
"$bough" run study.yaml --shard 2/3 --trials 4 -o few >/dev/null 2>err
wrong 2 "few: was run with another number of trials or another precision than part1" merge -o no part1 few
if command -v python3 >/dev/null; then
	cp -r part2 damaged
	cp -r part2 changed
	python3 - <<'END'
import sqlite3, struct, zlib
def change(name, sums):
    """The last byte of the first chunk is another one; with sums also all checksums, as a changed program has them."""
    db = sqlite3.connect(name + "/results.sqlite")
    id, point, answer, first, directory, data = db.execute(
        "SELECT id, point, answer, first, directory, data FROM chunk WHERE answer = 0 LIMIT 1").fetchone()
    data = data[:-1] + bytes([data[-1] ^ 1])
    if sums:
        at = len(directory) - 8
        length = struct.unpack_from("<I", directory, at)[0]
        bytes_of = data[-length:]
        layout = db.execute("SELECT rows FROM layout WHERE id = ?", struct.unpack_from("<I", bytes_of)).fetchone()[0]
        where = struct.pack("<QQQQ", point, answer, first + at // 8, zlib.crc32(layout.encode()))
        directory = directory[:-4] + struct.pack("<I", zlib.crc32(bytes_of, zlib.crc32(where)))
        db.execute("UPDATE chunk SET directory = ?, sum = ? WHERE id = ?",
                   (directory, zlib.crc32(directory, zlib.crc32(struct.pack("<QQQ", point, answer, first))), id))
    db.execute("UPDATE chunk SET data = ? WHERE id = ?", (data, id))
    db.commit()
change("damaged", False)
change("changed", True)
END
	wrong 1 "damaged/results.sqlite: is damaged: 1 trial is lost" merge -o no part1 damaged
	wrong 2 "differs from that in another store" merge -o no part2 changed part1
	[ ! -e no/results.sqlite ] || fail "a refused merge has written a store"
	[ -z "$(ls -A no 2>/dev/null | grep -v '^results.lock$')" ] || fail "a refused merge leaves $(ls -A no)"
fi
