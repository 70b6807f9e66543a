// RUN: attn-opt %s --convert-attn-to-tile=features=avx2,fma,f16c,sse4.1 | FileCheck %s
// RUN: attn-opt %s --convert-attn-to-tile=features=avx2,fma | attn-opt | FileCheck %s

// Plain attention has neither a map nor a mask where blocks are full; the keys past the last one are masked.
// CHECK-LABEL: tile.kernel @plain_f32_d64
// CHECK-SAME:    schedule(<query_block = 256, query_tile = 16, key_block = 96, row_tile = 6, lanes = 8
// CHECK-SAME:    queries(%[[BLOCK:.*]]) {
// CHECK-NEXT:    attn.kernel @plain_f32_d64
// CHECK:         %[[Q:.*]] = tile.load_queries %[[BLOCK]]
// CHECK-NEXT:    %[[STATE:.*]] = tile.init_state %[[BLOCK]]
// CHECK-NEXT:    tile.for_keys(%[[KEYS:.*]]) of %[[BLOCK]] {
// CHECK-NEXT:      %[[K:.*]] = tile.load_keys %[[KEYS]]
// CHECK-NEXT:      %[[V:.*]] = tile.load_values %[[KEYS]]
// CHECK-NEXT:      tile.for_queries of %[[BLOCK]], %[[KEYS]] full(%[[ROWS:.*]]) {
// CHECK-NEXT:        %[[S:.*]] = tile.dot %[[Q]][%[[ROWS]]], %[[K]]
// CHECK-NEXT:        %[[P:.*]] = tile.softmax_step %[[S]], %[[STATE]][%[[ROWS]]]
// CHECK-NEXT:        tile.dot_acc %[[P]], %[[V]], %[[STATE]][%[[ROWS]]]
// CHECK-NEXT:      } partial(%[[ROWS:.*]]) {
// CHECK-NEXT:        %[[S:.*]] = tile.dot %[[Q]][%[[ROWS]]], %[[K]]
// CHECK-NEXT:        %[[M:.*]] = tile.mask %[[S]][%[[ROWS]], %[[KEYS]]]
// CHECK-NEXT:        tile.softmax_step %[[M]]
// CHECK:         tile.epilogue %[[STATE]][%[[BLOCK]]]
attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}

// A score body is applied in both cases, before the mask.
// CHECK-LABEL: tile.kernel @doubled_f32_d8
// CHECK:         full
// CHECK-NEXT:      %[[S:.*]] = tile.dot
// CHECK-NEXT:      %[[T:.*]] = tile.map %[[S]]
// CHECK-NEXT:      tile.softmax_step %[[T]]
// CHECK:         partial
// CHECK-NEXT:      %[[S:.*]] = tile.dot
// CHECK-NEXT:      %[[T:.*]] = tile.map %[[S]]
// CHECK-NEXT:      %[[U:.*]] = tile.mask %[[T]]
// CHECK-NEXT:      tile.softmax_step %[[U]]
attn.kernel @doubled_f32_d8 dtype(f32) head_dim(8) value_dim(8) {
  attn.score(%s, %b, %h, %q, %kv) {
    %r = arith.addf %s, %s : f32
    attn.yield %r : f32
  }
}
