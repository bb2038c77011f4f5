#!/bin/sh
# --figures: CSV and gnuplot scripts always, pictures where gnuplot is installed, and its errors.
# $1: bough, $2: the source directory.
set -eu
bough=$1
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"

cat >plain.yaml <<'END'
study: Rounds
network: fattree:n={n}
traffic: uniform:m={m}
methods:
  - circuit:mode=rounds
  - bins:model=1
  - "data:'odd name'.csv"
grid:
  - n: [16, 32, 64]
  - m: [n/2, n]
trials: 4
plot: {x: n, xscale: log2, y: rounds, series: method, facet: m}
END
printf 'n,metric,value\n16,rounds,3\n32,rounds,4\n64,rounds,5\n' >"'odd name'.csv"

# ---- wrong directories, before anything runs ----
: >file
wrong 2 "cannot hold figures: Not a directory" run plain.yaml --out r0 --figures file
wrong 2 "file/x: cannot hold figures" run plain.yaml --out r0 --figures file/x
wrong 2 "cannot hold figures" run plain.yaml --out r0 --figures ''
[ ! -e r0 ] || fail "a run began that could not write its figures"
wrong 2 "--figures needs a value" report r0 --figures

# ---- without gnuplot ----
mkdir empty
"$bough" run plain.yaml --out r1 >out 2>err
PATH=$PWD/empty "$bough" report r1 --figures deep/er/f1 >out 2>err || fail "figures without gnuplot: $(cat err)"
grep -q "4 figures in deep/er/f1: no PDF, as neither gnuplot nor rsvg-convert is installed" err || fail "said: $(cat err)"
ls deep/er/f1 >names
for name in 'plain-rounds-m=n' 'plain-rounds-m=n-2' 'plain-rounds-ratio-m=n' 'plain-rounds-ratio-m=n-2'; do # n/2
	for ending in csv gp svg tex; do
		grep -qxF "$name.$ending" names || fail "no $name.$ending in: $(cat names)"
	done
	! command -v xmllint >/dev/null || xmllint --noout "deep/er/f1/$name.svg" || fail "$name.svg is no XML"
done
[ "$(wc -l <names)" -eq 16 ] || fail "more than that: $(cat names)"
[ "$(wc -l <'deep/er/f1/plain-rounds-m=n.csv')" -eq 10 ] || fail "not a line for each point"
head -1 'deep/er/f1/plain-rounds-m=n.csv' | grep -qx 'series,x,mean,low,high,ci95,min,max,trials,hollow,label,name' ||
	fail "another head"

# ---- rsvg-convert in the place of gnuplot ----
mkdir convert
cat >convert/rsvg-convert <<'END'
#!/bin/sh
[ "$1 $2 $3" = "-f pdf plain-rounds-m=n.svg" ] && [ ! -s "$3" ] && exit 1
echo "%PDF-1.5 of $3"
END
chmod +x convert/rsvg-convert
PATH=$PWD/convert "$bough" report r1 --figures f11 >out 2>err || fail "rsvg-convert: $(cat err)"
grep -q "4 figures in f11$" err && [ "$(ls f11 | wc -l)" -eq 20 ] || fail "rsvg-convert: $(cat err)"
[ "$(cat f11/plain-rounds-m=n.pdf)" = "%PDF-1.5 of plain-rounds-m=n.svg" ] || fail "rsvg-convert: no PDF"

# ---- files of somebody else ----
PATH=$PWD/empty "$bough" report r1 --figures deep/er/f1 >out 2>err || fail "figures again: $(cat err)"
mkdir own
echo mine >own/plain-rounds-m=n.gp
status=0
"$bough" report r1 --figures own >out 2>err || status=$?
[ "$status" -eq 2 ] || fail "a file of somebody else: status $status"
grep -q "own/plain-rounds-m=n.gp: exists, and is not of an earlier --figures; name another directory" err ||
	fail "a file of somebody else: $(cat err)"
[ "$(ls own)" = "plain-rounds-m=n.gp" ] && [ "$(cat own/plain-rounds-m=n.gp)" = mine ] || fail "own: $(ls own)"

# ---- texts of the author: the same in all figures and on the page; values of results.csv ----
cat >paper.yaml <<'END'
network: fattree:n={n}
traffic: uniform:m={m}
methods: [circuit:mode=rounds, bins:model=1]
grid:
  - n: [16, 32]
  - m: [n/2, n]
trials: 20
plot: {x: n, y: rounds, series: [m, method], title: Rounds & more, xlabel: Endpoints, ylabel: Time_1 (rounds),
       labels: {"circuit:mode=rounds": Circuits, m = n: full}, order: [full, Circuits], size: 9x6, font: 8}
END
PATH=$PWD/empty "$bough" run paper.yaml --out r9 --figures f9 >out 2>err || fail "paper: $(cat err)"
"$bough" report r9 --html page.html >out 2>err || fail "paper: $(cat err)"
PATH=$PWD/empty "$bough" report r9 --figures f10 >out 2>err || fail "paper: $(cat err)"
diff -r f9 f10 >said || fail "other figures from the store: $(cat said)"
for text in 'title={Rounds \& more}' 'xlabel={Endpoints}' 'ylabel={Time\_1 (rounds)}' 'addlegendentry{full, Circuits}' \
	'width=9cm, height=6cm' 'fontsize{8}'; do
	grep -qF "$text" f9/paper-rounds.tex || fail "no $text in: $(cat f9/paper-rounds.tex)"
done
for file in f9/paper-rounds.svg page.html; do
	for text in 'Rounds &amp; more' Endpoints 'Time_1 (rounds)' 'full, Circuits' 'm = n/2, bins:model=1'; do
		grep -qF "$text" "$file" || fail "no $text in $file"
	done
done
grep -q 'width="9cm" height="6cm"' f9/paper-rounds.svg || fail "the size of the SVG"
sed -n 's/.*addlegendentry//p' f9/paper-rounds.tex | tr -d '\n' >legend
[ "$(cat legend)" = '{full, Circuits}{full, bins:model=1}{m = n/2, Circuits}{m = n/2, bins:model=1}' ] ||
	fail "the order: $(cat legend)"
awk -F, '$7 == "rounds" { print $1, $10, $11, $11 }' r9/results.csv | sort >values
sed -n 's/^ *\([0-9]\)/\1/p' f9/paper-rounds.tex | sort >drawn
[ "$(wc -l <values)" -eq 8 ] && cmp values drawn || fail "values: $(cat values drawn)"
wrong 2 "labels: no series has 'circuit:mode=round' (did you mean 'circuit:mode=rounds'?)" \
	run paper.yaml --out r10 --set 'plot.labels={circuit:mode=round: a}'
wrong 2 "order: no series has 'Circuit'" run paper.yaml --out r10 --set plot.order=Circuit
wrong 2 "labels: two values of m would be called 'm = n'" \
	run paper.yaml --out r10 --set 'plot.labels={m = n/2: m = n}' --set plot.order=bins:model=1
[ ! -e r10 ] || fail "a run began with wrong names"

# ---- a gnuplot that fails ----
mkdir bad
cat >bad/gnuplot <<'END'
#!/bin/sh
echo half >"$(echo "$3" | sed "s/.*file='//; s/'.*//")"
echo '"x.gp" line 7: no such terminal' >&2
exit 1
END
chmod +x bad/gnuplot
status=0
PATH=$PWD/bad:$PATH "$bough" report r1 --figures f2 >out 2>err || status=$?
[ "$status" -eq 1 ] || fail "a gnuplot that fails: status $status"
grep -q "gp: gnuplot: line 7: no such terminal" err || fail "of a gnuplot that fails: $(cat err)"
! ls f2 | grep -q "part\|svg" || fail "half a figure: $(ls f2)"

# ---- with gnuplot ----
command -v gnuplot >/dev/null || { echo "gnuplot is not installed; its pictures were not looked at"; exit 0; }
"$bough" run plain.yaml --out r1 --figures f3 >out 2>err || fail "figures: $(cat err)"
grep -q "4 figures in f3" err || fail "said: $(cat err)"
[ "$(ls f3 | wc -l)" -eq 20 ] || fail "not five files a figure: $(ls f3)"
for svg in f3/*.svg; do
	! command -v xmllint >/dev/null || xmllint --noout "$svg" || fail "$svg is no XML"
	grep -q "circuit:mode=rounds" "$svg" || fail "$svg does not name its series"
done
for pdf in f3/*.pdf; do
	head -c 5 "$pdf" | grep -q "%PDF-" || fail "$pdf is no PDF"
done
"$bough" report r1 --figures f4 >/dev/null 2>&1
for svg in f3/*.svg; do cmp "$svg" "f4/${svg#f3/}" || fail "another $svg from the same results"; done
# By hand.
(cd f3 && rm -f 'plain-rounds-m=n.svg' && gnuplot 'plain-rounds-m=n.gp' && [ -s 'plain-rounds-m=n.svg' ]) || fail "the script by itself"

# ---- bars of extremes, lines, overlays and ratios: the same from the store ----
cat >lines.yaml <<'END'
network: fattree:n={n}
traffic: uniform:m={m}
methods: [circuit:mode=rounds, bins:model=1, circuit:mode=cycles]
grid:
  - n: [16, 32, 64]
  - m: [n/2, n]
trials: 4
plot: {x: n, y: [rounds, norm_cycles], overlay: true, bars: minmax, ratio: [mean, max], facet: m,
       curves: {"lg m": lg(m)}, verticals: {"it's here": n/n + 40}}
END
"$bough" run lines.yaml --out r6 --figures f6 >out 2>err || fail "lines: $(cat err)"
"$bough" report r6 --figures f7 >/dev/null 2>&1
for file in f6/*.svg f6/*.csv; do cmp "$file" "f7/${file#f6/}" || fail "another $file from the store"; done
for svg in 'f6/lines-rounds-and-others-m=n.svg' 'f6/lines-rounds-and-others-m=n-2.svg'; do
	! command -v xmllint >/dev/null || xmllint --noout "$svg" || fail "$svg is no XML"
	grep -q "lg m<" "$svg" && grep -q "circuit:mode=cycles, norm_cycles<" "$svg" || fail "$svg has no line or series"
done
grep -q "maxima: .* on average<" 'f6/lines-rounds-and-others-ratio-m=n.svg' || fail "no mean of ratios of maxima"
"$bough" run lines.yaml --out r6 --set plot.overlay=false --set plot.y=rounds --set plot.ratio=none --figures f8 >out 2>err ||
	fail "--set plot: $(cat err)"
[ "$(echo f8/*.svg)" = "f8/lines-rounds-m=n-2.svg f8/lines-rounds-m=n.svg" ] || fail "--set plot: $(ls f8)"
wrong 2 "--set plot.bars: plot: bars: 'x' is not interval or minmax" run lines.yaml --out r7 --set plot.bars=x

# ---- names that gnuplot would read as formats, or copy into XML that is none ----
cat >odd.yaml <<'END'
network: fattree:n=16
traffic: uniform:m=16
methods: bins:model=1
grid:
  - word: ["50%", "%d", "a]]>b"]
trials: 2
plot: {x: word, y: rounds}
END
"$bough" run odd.yaml --out r5 --figures f5 >out 2>err || fail "odd names: $(cat err)"
! command -v xmllint >/dev/null || xmllint --noout f5/odd-rounds.svg || fail "the figure of odd names is no XML"
grep -q "50%<" f5/odd-rounds.svg && grep -q "%d<" f5/odd-rounds.svg || fail "the figure lost a name"
