// The sizes follow the CPU, the element type and the head dims.
// RUN: attn-opt %s --convert-attn-to-tile | FileCheck %s --check-prefix=BASE
// RUN: attn-opt %s --convert-attn-to-tile=features=avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma | FileCheck %s --check-prefix=AVX512

// BASE-LABEL: tile.kernel @a
// BASE-SAME:    schedule(<query_block = 256, query_tile = 8, key_block = 96, row_tile = 4, lanes = 4>)
// AVX512-LABEL: tile.kernel @a
// AVX512-SAME:    schedule(<query_block = 256, query_tile = 32, key_block = 96, row_tile = 8, lanes = 16, features = "fma|reduce_scale|bf16_dot">)
attn.kernel @a dtype(bf16) head_dim(64) value_dim(64) {
}

// Queries and output of a block must fit into L2.
// BASE-LABEL: tile.kernel @wide
// BASE-SAME:    schedule(<query_block = 64, query_tile = 8, key_block = 48,
attn.kernel @wide dtype(f32) head_dim(576) value_dim(512) {
}
