#!/usr/bin/env bash
# Builds and runs every test. Usage: test/run.sh [PRESET] [PATH...]
#   PRESET  release (default), dev, asan or tsan
#   PATH    only the tests below these paths of test/, e.g. test/Frontend
# Ends with `N passed, N failed` (and `, N skipped`, their reasons above it). Exit status 0 if none failed.
set -u
cd "$(dirname "$0")/.." || exit 3
. cmake/prepare.sh

preset=${1:-release}
[ $# -gt 0 ] && shift
case $preset in
release | dev | asan | tsan) ;;
*)
  echo "error: expected a preset of release, dev, asan or tsan, got '$preset'" >&2
  exit 2
  ;;
esac
prepare "$preset" all attnc-test-depends || exit
find_cuda_tools

selection=("build/$preset/test" "build/$preset/test/unit")
if [ $# -gt 0 ]; then
  selection=()
  for path; do selection+=("build/$preset/$path"); done
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1} UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
results=build/$preset/test-results.json
rm -f "$results"
/usr/bin/python3 /usr/lib/llvm-22/bin/lit -q -v --timeout 600 --order=smart --output "$results" "${selection[@]}"
[ -f "$results" ] && /usr/bin/python3 test/tools/summarize.py "$results"
