#!/usr/bin/env bash
# Two layers of attention in a pipeline: the first has random tensors, the second attends to what the first has written, as
# q, k and v at once. Reports go to standard error, where there are tensors on standard output. Takes attn-run from PATH.
set -eu -o pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'mask_mod = sliding_window(16)' > "$folder/local.attn"
echo 'mask_mod = causal' > "$folder/causal.attn"

# o has the shape [1, 2, 64, 32]; these are its strides.
view=o:1,2,64,32:4096,2048,32,1:0
attn-run "$folder/local.attn" --random B=1,Hq=2,Q=64,KV=64,D=32,dtype=f32 --check --out - |
  attn-run "$folder/causal.attn" --in - --view "q=$view" --view "k=$view" --view "v=$view" --check --json --out - \
    2> "$folder/report.json" |
  wc -c
grep '"pass"' "$folder/report.json"
