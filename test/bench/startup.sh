#!/usr/bin/env bash
# Prints how long whole processes take, medians in milliseconds. Usage: test/bench/startup.sh BIN [RUNS]
#   BIN   the folder of attnc and attn-run of a release build, e.g. build/release/bin
#   RUNS  runs of each command (20)
set -eu
export LC_ALL=C
bin=$(cd "$1" && pwd)
runs=${2:-20}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
cat > "$folder/packed.attn" <<'END'
slopes: f32[Hq]
doc: i32[B, KV]

def score_mod(score, b, h, q_idx, kv_idx):
    return score + slopes[h] * (kv_idx - q_idx)

def mask_mod(b, h, q_idx, kv_idx):
    return (doc[b, q_idx] == doc[b, kv_idx]) & (q_idx >= kv_idx)
END
cat > "$folder/causal.attn" <<'END'
mask_mod = causal
END

# measure WHAT GOAL COMMAND...
measure() {
  local what=$1 goal=$2
  shift 2
  "$@" > /dev/null
  for ((run = 0; run < runs; ++run)); do
    local start=${EPOCHREALTIME/./}
    "$@" > /dev/null
    echo $((${EPOCHREALTIME/./} - start))
  done | sort -n |
    awk -v what="$what" -v goal="$goal" \
      '{ t[NR] = $1 } END { printf "%-44s %8.1f ms  %s\n", what, t[int((NR + 1) / 2)] / 1000, goal }'
}

tensors=B=1,Hq=1,Hkv=1,Q=16,KV=16,dtype=bf16,D=128
measure "attnc --version" "" "$bin/attnc" --version
for program in causal packed; do
  file=$folder/$program.attn
  compile=("$bin/attnc" "$file" --dtype bf16 --head-dim 128)
  measure "attnc $program.attn --emit=attn" "under 30 ms" "${compile[@]}" --emit=attn
  measure "attnc $program.attn --cpu native -o $program.o" "" "${compile[@]}" --cpu native -o "$folder/$program.o"
  measure "attnc $program.attn -o $program.o" "" "${compile[@]}" -o "$folder/$program.o"
  measure "attnc $program.attn -o $program.ptx" "" "${compile[@]}" --arch sm_80 -o "$folder/$program.ptx"
  measure "attn-run $program.attn, compiled and run" "under 200 ms" \
    "$bin/attn-run" "$file" --random "$tensors"
done
