#!/usr/bin/env bash
# Compiles a document-causal ALiBi variant, runs it on generated tensors, and shows what came of it:
# error and limit against the oracle, time and GFLOP/s, and the block mask.
set -eu
cd "$(dirname "$0")/.."
. cmake/prepare.sh
prepare release attnc attn-run

bin=build/release/bin
program=examples/packed.attn
object=$(mktemp --suffix=.o)
trap 'rm -f "$object"' EXIT

echo "== $program"
grep -v '^#' "$program"
echo "== attnc $program -o packed.o"
"$bin/attnc" "$program" --dtype bf16 --head-dim 128 -o "$object"
ls -l "$object" | awk '{print $5 " bytes of native code and metadata"}'
echo "== attn-run: B=1 Hq=8 Hkv=2 Q=KV=2048 D=128 bf16, 8 documents"
"$bin/attn-run" "$program" --random B=1,Hq=8,Hkv=2,Q=2048,KV=2048,D=128,dtype=bf16 \
  --fill doc=documents:8 --fill slopes=range:0.02,0.5 --check --bench --mask-picture -
