// RUN: attn-opt %s | attn-opt | FileCheck %s

// Every declaration and every way to read one.
// CHECK-LABEL: attn.kernel @declarations dtype(f32) head_dim(64) value_dim(32) scale(5.000000e-01) checked {
attn.kernel @declarations dtype(f32) head_dim(64) value_dim(32) scale(0.5) checked {
  // CHECK: attn.capture @pos : i32[]
  attn.capture @pos : i32[]
  // CHECK: attn.capture @bytes : ui8["B", "N"]
  attn.capture @bytes : ui8["B", "N"]
  // CHECK: attn.capture @rel : bf16["Hq", "Q" + "KV" - 1]
  attn.capture @rel : bf16["Hq", "Q" + "KV" - 1]
  // CHECK: attn.capture @sizes : i1["Q" - 2 * "KV", "KV" * 3, ("Q" + 1) floordiv 2, "Q" ceildiv "KV", "Q" mod 7]
  attn.capture @sizes : i1["Q" - 2 * "KV", 3 * "KV", ("Q" + 1) floordiv 2, "Q" ceildiv "KV", "Q" mod 7]
  // CHECK: attn.capture @constants : i64[4, 0, -9223372036854775808]
  attn.capture @constants : i64[4, 2 - 2, -9223372036854775808]
  // CHECK: attn.scalar @cap : f16
  attn.scalar @cap : f16
  // CHECK: attn.table @buckets = dense<[1, 2, 4, 8]> : tensor<4xi32>
  attn.table @buckets = dense<[1, 2, 4, 8]> : tensor<4xi32>
  // CHECK: attn.score(%{{.*}}, %[[B:.*]], %[[H:.*]], %[[Q:.*]], %[[KV:.*]]) {
  attn.score(%score, %b, %h, %q, %kv) {
    // CHECK: attn.dim "N" : i64
    %n = attn.dim "N" : i64
    // CHECK: %[[SIZE:.*]] = attn.dim "KV" : i32
    %size = attn.dim "KV" : i32
    // CHECK: attn.get @cap : f32
    %cap = attn.get @cap : f32
    // CHECK: attn.load @pos[] : i32
    %pos = attn.load @pos[] : i32
    // CHECK: attn.load @bytes[inside %[[B]], clamp %[[KV]]] : i64
    %byte = attn.load @bytes[inside %b, clamp %kv] : i64
    // CHECK: attn.load @rel[%[[H]], inside %[[SIZE]] : i64, i32] : f32
    %rel = attn.load @rel[wrap %h, inside %size : i64, i32] : f32
    // CHECK: attn.load @buckets[%[[Q]]] : i32
    %bucket = attn.load @buckets[%q] : i32
    // CHECK: attn.floordiv %[[Q]], %[[KV]] : i64
    %div = attn.floordiv %q, %kv : i64
    // CHECK: attn.floormod %[[Q]], %[[KV]] : i64
    %mod = attn.floormod %q, %kv : i64
    // CHECK: attn.to_int %{{.*}} : f32 to i64
    %int = attn.to_int %rel : f32 to i64
    attn.yield %rel : f32
  }
}
