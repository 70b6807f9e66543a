#!/usr/bin/env bash
# The tests that take hours: a million inputs for each fuzzer under ASan and UBSan (a hundredth of that for the one of masks,
# which compiles each), as many random masks as cases, 50,000 random cases on the host and a
# fifth of that on the emulator, and the golden cases' programs through ptxas for every architecture and shape.
# Usage: test/long.sh [INPUTS [CASES]]
# An input that breaks something is left in build/fuzz/findings, a case that fails in build/release/sweep or
# sweep-emulator. What ptxas made is kept in build/release/ptxas-matrix.jsonl, so that a second run goes on there.
# Exit status 0 if nothing failed, 1 if something did, 2 on wrong arguments, 3 if the build failed.
set -u
cd "$(dirname "$0")/.." || exit 3
. cmake/prepare.sh

inputs=${1:-1000000}
cases=${2:-50000}
if ! [[ $inputs =~ ^[1-9][0-9]*$ && $cases =~ ^[1-9][0-9]*$ ]]; then
  echo "error: expected two whole numbers, got '$*'" >&2
  exit 2
fi
prepare fuzz attnc-parse-fuzzer attnc-compile-fuzzer emulator-load-fuzzer attn-mask-fuzzer || exit
prepare release attn-sweep attn-mask-sweep attnc || exit
find_cuda_tools

jobs=$(nproc)
findings=build/fuzz/findings
mkdir -p "$findings"
/usr/bin/python3 compiler/Frontend/fuzz/gather_corpus.py build/fuzz/seeds || exit 3

# fuzz NAME LENGTH DICTIONARY SEEDS...: one process a core. They share what they find through the corpus, which is
# kept for the next time. Inputs are no longer than LENGTH; DICTIONARY may be empty.
fuzz() {
  local name=$1 length=$2 dictionary=$3 each=$(((inputs + jobs - 1) / jobs)) job status=0
  local corpus=build/fuzz/corpus/$name pids=()
  shift 3
  mkdir -p "$corpus"
  echo "$name: $jobs x $each inputs ..."
  for ((job = 0; job < jobs; ++job)); do
    # What lives as long as the process is no leak: those are looked for when it ends.
    "build/fuzz/bin/$name" "$corpus" "$@" -runs="$each" -reload=60 -max_len="$length" -timeout=10 \
      -rss_limit_mb=2500 -detect_leaks=0 ${dictionary:+-dict="$dictionary"} -artifact_prefix="$findings/$name-" \
      >"build/fuzz/$name-$job.log" 2>&1 &
    pids+=($!)
  done
  for ((job = 0; job < jobs; ++job)); do
    wait "${pids[$job]}" && continue
    status=1
    echo "$name failed; the whole log is in build/fuzz/$name-$job.log:"
    grep -E 'ERROR|runtime error|Assertion|Test unit written' "build/fuzz/$name-$job.log"
  done
  [ "$status" -eq 0 ] && echo "$name: nothing failed"
  return "$status"
}

failed=0
fuzz attnc-parse-fuzzer 2048 compiler/Frontend/fuzz/attn.dict build/fuzz/seeds || failed=1
fuzz attnc-compile-fuzzer 2048 compiler/Frontend/fuzz/attn.dict build/fuzz/seeds || failed=1
fuzz emulator-load-fuzzer 24576 runtime/emulator/fuzz/ptx.dict test/emulator/ptx test/emulator/cuda || failed=1
inputs=$(((inputs + 99) / 100))
fuzz attn-mask-fuzzer 4096 "" || failed=1
echo "attn-mask-sweep: $cases masks ..."
build/release/bin/attn-mask-sweep "$cases" || failed=1
echo "attn-sweep: $cases cases ..."
build/release/bin/attn-sweep --cases "$cases" --save build/release/sweep || failed=1
emulated=$(((cases + 4) / 5))
echo "attn-sweep, kernels for GPUs: $emulated cases ..."
build/release/bin/attn-sweep --device emulator --cases "$emulated" --save build/release/sweep-emulator || failed=1
if command -v ptxas >/dev/null; then
  echo "ptxas: every program for each architecture ..."
  /usr/bin/python3 test/machine-code/ptxas_matrix.py --attnc build/release/bin/attnc \
    --results build/release/ptxas-matrix.jsonl || failed=1
fi
exit "$failed"
