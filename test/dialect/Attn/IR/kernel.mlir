// RUN: attn-opt %s | attn-opt | FileCheck %s

// The printed form of a whole kernel parses back to itself.
// CHECK-LABEL: attn.kernel @alibi_bf16_d128 dtype(bf16) head_dim(128) value_dim(128) lse {
attn.kernel @alibi_bf16_d128 dtype(bf16) head_dim(128) value_dim(128) lse {
  // CHECK: attn.capture @slopes : f32["Hq"]
  attn.capture @slopes : f32["Hq"]
  // CHECK: attn.score(%[[SCORE:.*]], %{{.*}}, %[[H:.*]], %[[Q:.*]], %[[KV:.*]]) {
  attn.score(%score, %b, %h, %q, %kv) {
    // CHECK: attn.load @slopes[inside %[[H]]] : f32
    %slope = attn.load @slopes[inside %h] : f32
    %distance = arith.subi %kv, %q : i64
    %d = arith.sitofp %distance : i64 to f32
    %bias = arith.mulf %slope, %d : f32
    %r = arith.addf %score, %bias : f32
    attn.yield %r : f32
  }
  // CHECK: attn.mask(%{{.*}}, %{{.*}}, %[[Q:.*]], %[[KV:.*]]) {
  attn.mask(%b, %h, %q, %kv) {
    // CHECK: arith.cmpi sge, %[[Q]], %[[KV]] : i64
    %m = arith.cmpi sge, %q, %kv : i64
    attn.yield %m : i1
  }
}
