#!/bin/sh
# Names, titles and paths are texts of others: none of their control characters reaches a terminal, JSON and XML stay
# what they are. $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

# ESC, C1 as a character and as a byte, right-to-left override, zero width, U+FFFE, no UTF-8, and letters that stay
hostile=$(printf 'a\033]0;t\007\302\2331m\2331m\342\200\256b\342\200\213\357\277\276\351 \303\251\344\270\255')
shown=$(printf 'a?]0;t??1m?1m?b??? \303\251\344\270\255')
bad=$(printf '\033|\007|\302\233|\342\200\256|\342\200\213|\357\277\276')

# clean FILE...: nothing of it is there.
clean() {
	for file; do
		! LC_ALL=C grep -qE "$bad" "$file" || fail "control characters in $file: $(od -c "$file" | head -n 20)"
		! LC_ALL=C grep -q "$(printf '\351 ')" "$file" || fail "a byte that is no UTF-8 in $file"
	done
}

# ---- messages ----
for words in "$hostile" "net|$hostile" "net|$hostile.csv" "sim|fattree:n=4|$hostile" "net|fattree:n=4|--$hostile" \
	"net|fattree:n=8|--faults|name:$hostile" "report|$hostile" "run|$hostile.yaml" "list|networks|$hostile" \
	"check|$hostile" "plan|--hosts|$hostile|--radix|8" "net|fattree:n=8|-o|$hostile/x.dot"; do
	(
		IFS='|'
		# shellcheck disable=SC2086 # words of a command line
		set -- $words
		status=0
		"$bough" "$@" >out 2>err </dev/null || status=$?
		[ "$status" -eq 2 ] || fail "status $status: $words"
		[ "$(wc -l <err)" -eq 1 ] || fail "not one line: $(cat err)"
	)
	clean err
done
wrong 2 "$shown" report "$hostile"

# ---- currency, which comes from a file ----
printf 'item,price\ncurrency,%s\nswitch,10\ncable,1\n' "$(printf '\033[31m\342\200\256x')" >prices.csv
if "$bough" plan --hosts 16 --radix 8 --prices prices.csv >out 2>err; then
	clean out err
	right 'currency' plan --hosts 16 --radix 8 --prices prices.csv --json
	json 'o["currency"].startswith("\x1b[31m\u202e")'
	clean out
else
	clean err
fi

# ---- a fabric: names of nodes, its own path ----
cat >"$hostile.csv" <<END
node,port,node,port
$hostile-1,1,leaf,1
"=h2,""x""",1,leaf,2
leaf,3,spine,1
h3,1,spine,2
END
for words in "net" "check" "net --faults name:leaf/3" "sim"; do
	# shellcheck disable=SC2086
	case $words in
	sim) "$bough" sim "$hostile.csv" shift linkload >out 2>err || fail "sim: $(cat err)" ;;
	*) "$bough" ${words%% *} "$hostile.csv" ${words#"${words%% *}"} >out 2>err || fail "$words: $(cat err)" ;;
	esac
	clean out err
done
for verb in net check; do
	"$bough" "$verb" "$hostile.csv" --json >out 2>err || fail "$verb --json: $(cat err)"
	clean out err
	json 'True'
done
json '"\u009b1m\ufffd1m\u202eb\u200b\ufffe\ufffd \u00e9\u4e2d.csv" in o["network"]["spec"]'
"$bough" net "$hostile.csv" -o out.json && cp out.json out && clean out
json 'any("\u202e" in n["name"] and "\u4e2d" in n["name"] for n in o["nodes"])'
"$bough" net "$hostile.csv" -o copy.csv && "$bough" net copy.csv -o again.csv && cmp copy.csv again.csv
"$bough" net "$hostile.csv" -o x.dot
"$bough" net "$hostile.csv" --routing updn -o x.svg
"$bough" net "$hostile.csv" --routing updn -o x.xml
if command -v xmllint >/dev/null; then
	xmllint --noout --nonet x.svg || fail "the drawing is no XML"
	xmllint --noout --nonet x.xml || fail "the platform is no XML"
fi

# ---- a study: title, axis, CSV ----
cat >study.yaml <<'END'
study: "T\u202e\ufffe<b>&\u009b"
network: fattree:n={n}
traffic: uniform:m={n}
methods: [bins:model=1, "collision:k={k}"]
grid:
  - n: [16]
  - k: [1]
trials: 2
plot: {x: n, y: rounds, series: method}
END
sed -i 's/, "collision:k={k}"//; /- k:/d' study.yaml
for format in "" --json --csv --csv-safe --plot; do
	# shellcheck disable=SC2086
	"$bough" run study.yaml --out r $format >out 2>err || fail "run $format: $(cat err)"
	clean out err
done
"$bough" run study.yaml --dry-run >out && clean out
"$bough" run study.yaml --dry-run --json >out && clean out
json 'o["study"] == "T\u202e\ufffe<b>&\x9b"'
if [ -e r/report.html ]; then
	# shellcheck disable=SC2016
	! LC_ALL=C grep -qE "$(printf '\033|\357\277\276')" r/report.html || fail "control characters in the page"
fi

# ---- an axis that a spreadsheet would take for a formula ----
cat >formula.yaml <<'END'
study: Formula
network: fattree:n=16
traffic: uniform:m=16
methods: [bins:model=1]
grid:
  - word: ["=1+1", "-2", "@x", "+y"]
trials: 2
END
"$bough" run formula.yaml --out f --csv >plain 2>err || fail "formula: $(cat err)"
"$bough" run formula.yaml --out f --csv-safe >safe
for word in =1+1 @x +y; do
	grep -q "^$word," plain || fail "--csv changes $word: $(cat plain)"
	grep -q "^'$word," safe || fail "--csv-safe leaves $word: $(cat safe)"
done
grep -q '^-2,' safe || fail "--csv-safe changes a number"
cmp plain f/results.csv || fail "results.csv differs from --csv"
sed "s/^'//" safe | cmp - plain || fail "--csv-safe changes more than formulas"
wrong 2 "are mutually exclusive" report f --csv --csv-safe
wrong 2 "are mutually exclusive" report f --json --csv-safe
wrong 2 "--plot adds to the table" report f --plot --csv-safe

# ---- there is one place that writes ----
cd "$2"
others=$(grep -rnE '(^|[^a-z_])(printf|puts|putchar|vprintf)\(|(^|[^/])std(out|err)\b' src/cli --include=*.c |
	grep -v '^src/cli/\(main\|command_\(options\|output\|progress\)\).c:') || true # main and options: help
[ -z "$others" ] || fail "written past src/cli/command_output.c: $others"
others=$(grep -rnE '(^|[^a-z_])(printf|puts|putchar|vprintf)\(|\bstd(out|err)\b' src --include=*.c | grep -v '^src/cli/') || true
[ -z "$others" ] || fail "the library prints: $others"
cd "$tmp"

# ---- in a terminal ----
command -v script >/dev/null && [ "$(script -qec 'echo works' /dev/null </dev/null 2>/dev/null | tr -d '\r')" = works ] ||
	exit 0
script -qec "'$bough' report r --csv; '$bough' report r --color never; '$bough' report r --json" /dev/null </dev/null >seen
clean seen
TERM=xterm script -qec "'$bough' report r" /dev/null </dev/null >seen
sed "s/$(printf '\033')\[[0-9]*m//g" seen >plain
clean plain
TERM=xterm LANG=C.UTF-8 script -qec "'$bough' report r --plot" /dev/null </dev/null >seen
sed "s/$(printf '\033')\[[0-9]*m//g" seen >plain
clean plain
