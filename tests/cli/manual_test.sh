#!/bin/sh
# Manual pages: no mistake that mandoc or groff finds, and every command, option and name of the program is in them.
# $1: bough, $2: the source directory.
set -eu
bough=$1
source=$2
# shellcheck source=tests/cli/expect.sh
. "$2/tests/cli/expect.sh"
command -v python3 >/dev/null || exit 77

manual=$source/cmake/manual.py
cp -r "$source/docs/man" texts
chmod -R u+w texts
make_pages() {
	python3 "$manual" "$bough" texts 9.9 2026-01-02 pages 2>err
}

# An example with what does not exist is refused.
printf '.EX\nbough sim bft flow \\-\\-rooting x\n.EE\n' >>texts/bough-sim.1
make_pages && fail "an unknown option in an example"
grep -q "no option --rooting" err || fail "$(cat err)"
cp "$source/docs/man/bough-sim.1" texts
printf '.EX\nbough simulate bft flow\n.EE\n' >>texts/bough-sim.1
make_pages && fail "an unknown command in an example"
cp "$source/docs/man/bough-sim.1" texts

make_pages || fail "$(cat err)"
for page in $(python3 "$manual" --names | tr ';' ' '); do
	[ -s "pages/$page" ] || fail "no page $page"
	if command -v mandoc >/dev/null; then
		mandoc -Tlint "pages/$page" >found 2>&1 || fail "mandoc: $(cat found)"
	fi
	if command -v groff >/dev/null; then
		groff -ww -man -Tutf8 "pages/$page" 2>found >"$page.txt"
		[ ! -s found ] || fail "groff: $(cat found)"
	fi
	! grep -n '@[a-z]*@' "pages/$page" || fail "$page has a place that was not filled"
	grep -q '^\.TH .* 2026-01-02 "bough 9.9"' "pages/$page" || fail "the heading of $page"
done

# in the pages a minus is \-
plain() {
	sed 's/\\-/-/g; s/\\f[BIR]//g; s/\\%//g; s/\\(aq/'"'"'/g' "$1"
}
"$bough" list --json >catalogue
python3 - >words <<'END'
import json
catalogue = json.load(open("catalogue"))
for command in catalogue["commands"]:
    for option in command["options"]:
        print(f"bough-{command['name']}.1", "--" + option["name"])
for kind in ("families", "routings", "traffic", "methods", "faults", "physical", "formats"):
    for entry in catalogue[kind]:
        print("bough-spec.7", entry["name"])
        for parameter in entry.get("parameters", ()):
            print("bough-spec.7", parameter["key"] + "=")
END
[ "$(wc -l <words)" -gt 400 ] || fail "few names: $(wc -l <words)"
for page in pages/*; do plain "$page" >"plain-$(basename "$page")"; done
while read -r page word; do
	grep -qF -e "$word" "plain-$page" || fail "$page lacks $word"
done <words
