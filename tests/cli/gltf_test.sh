# The 3-D models of hollow cubes through the Khronos validator. Exits with 77 where Node, npm or the validator's package
# cannot be had; npm puts it below the build directory.
set -eu
bough=$1 source=$2

skip() {
	echo "skipped: $*"
	exit 77
}
fail() {
	echo "gltf_test: $*" >&2
	exit 1
}

command -v node >/dev/null || skip "no node"
command -v npm >/dev/null || skip "no npm"
mkdir -p gltf_test_files
cd gltf_test_files
cp "$source/tests/gltf/package.json" "$source/tests/gltf/package-lock.json" "$source/tests/gltf/.npmrc" \
	"$source/tests/gltf/validate.cjs" .
if ! cmp -s package-lock.json installed; then
	npm ci --ignore-scripts >npm.log 2>&1 || skip "npm ci failed (gltf_test_files/npm.log)"
	cp package-lock.json installed
fi

# Stacks: 64 UT64x2 and 4 UT64x8; 4096 + 256 + 64; 64 B12 and 1 UT64x8; 64 B192 and 16 UT64x8.
for case in transit:n=4096=68 transit:n=262144=4416 transit:leaf=12=65 transit:leaf=192,leafmode=dual=80 transit:n=64=1; do
	spec=${case%=*} stacks=${case##*=}
	"$bough" net "$spec" -o cube.gltf >/dev/null || fail "$spec: no model"
	node validate.cjs cube.gltf || fail "$spec: the validator has found something"
	drawn=$(grep -c '"translation"' cube.gltf) || true
	[ "$drawn" -eq "$stacks" ] || fail "$spec: $drawn stacks, not $stacks"
done

# It finds what is wrong: bounds that the corners do not have, a mesh that is not there, a buffer cut short.
"$bough" net transit:n=64 -o cube.gltf >/dev/null
for wrong in 's/"max": \[0.5, 0.5, 0.5\]/"max": [0.5, 0.5, 0.6]/' 's/"mesh": 0/"mesh": 9/' 's/"byteLength": [0-9]*/"byteLength": 7/'; do
	sed "$wrong" cube.gltf >wrong.gltf
	! cmp -s cube.gltf wrong.gltf || fail "nothing for '$wrong' to change"
	! node validate.cjs wrong.gltf >out 2>&1 || fail "the validator passes '$wrong'"
done
