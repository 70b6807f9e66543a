#!/usr/bin/env bash
# Compiles a document-causal ALiBi variant, runs it on generated tensors, and shows what came of it:
# error and limit against the oracle, time and GFLOP/s, and the block mask. Then the same variant as a kernel for NVIDIA
# GPUs: what is in the PTX, what it is expected to cost, and a small problem in the emulator against the oracle.
set -eu
cd "$(dirname "$0")/.."
. cmake/prepare.sh
prepare release attnc attn-run

bin=build/release/bin
program=examples/packed.attn
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
object=$folder/packed.o

echo "== $program"
grep -v '^#' "$program"
echo "== attnc $program -o packed.o"
"$bin/attnc" "$program" --dtype bf16 --head-dim 128 -o "$object"
ls -l "$object" | awk '{print $5 " bytes of native code and metadata"}'
echo "== attn-run: B=1 Hq=8 Hkv=2 Q=KV=2048 D=128 bf16, 8 documents"
"$bin/attn-run" "$program" --random B=1,Hq=8,Hkv=2,Q=2048,KV=2048,D=128,dtype=bf16 \
  --fill doc=documents:8 --fill slopes=range:0.02,0.5 --check --bench --mask-picture -

echo "== attnc $program -o kernel.ptx: the summary at its top, and where its phases begin"
"$bin/attnc" "$program" -o "$folder/kernel.ptx"
sed -n '/^\/\/ packed/,/memory$/p' "$folder/kernel.ptx"
grep -n '^	//' "$folder/kernel.ptx"
echo "== attnc $program --arch sm_80 --explain"
"$bin/attnc" "$program" --arch sm_80 --explain
echo "== attn-run --device emulator: B=1 Hq=2 Hkv=1 Q=KV=200 D=128 bf16, 5 documents, under five schedules"
"$bin/attn-run" "$program" --random B=1,Hq=2,Hkv=1,Q=200,KV=200,D=128,dtype=bf16 \
  --fill doc=documents:5 --fill slopes=range:0.02,0.5 --device emulator --schedules ci --check
