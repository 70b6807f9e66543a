// RUN: attn-opt %s --convert-attn-to-tile=features=avx2,fma --convert-tile-to-vector | FileCheck %s

// One call computes rows of one batch and head; what it needs stands in attributes.
// CHECK-LABEL: llvm.func @plain_f32_d64(
// CHECK-SAME:    !llvm.ptr {llvm.noalias}, %{{.*}}: i64, %{{.*}}: i64, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %[[SCRATCH:.*]]: !llvm.ptr
// CHECK-SAME:    attnc.query_block = 256 : i64, attnc.scratch_bytes = {{[0-9]+}} : i64

// The steps run a second time if an output is not finite.
// CHECK:         scf.while (%[[EXACT:.*]] = %{{.*}}) : (i1) -> i1

// Queries are gathered into lanes.
// CHECK:           llvm.intr.masked.gather

// Six keys by two vectors of queries are accumulated in registers: one head dim at a time.
// CHECK:           scf.for {{.*}} -> ({{vector<8xf32>,.*}} !llvm.ptr)
// CHECK-COUNT-12:    llvm.intr.fmuladd
// CHECK:             scf.yield

// Weights touch values unmasked, unless an output was not finite.
// CHECK:           scf.if %[[EXACT]]
// CHECK:           scf.if %[[EXACT]]
// CHECK:             arith.cmpi ne
// CHECK:             scf.for {{.*}} -> ({{vector<8xf32>,.*}} !llvm.ptr, !llvm.ptr)
// CHECK:               arith.cmpi ne
// CHECK:               arith.select

// CHECK:           vector.reduction <or>
// CHECK:           scf.condition
attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}

// Without keys no captured tensor is read. A score body is applied to a vector of queries and one key.
// CHECK-LABEL: llvm.func @bias_f32_d8
// CHECK:         %[[SOME:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:    scf.if %[[SOME]]
// CHECK:           arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
attn.kernel @bias_f32_d8 dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @bias : f32["KV"]
  attn.score(%s, %b, %h, %q, %kv) {
    %x = attn.load @bias[inside %kv] : f32
    %r = arith.addf %s, %x : f32
    attn.yield %r : f32
  }
}

// Where a table decides, the smallest and largest ids of the keys are compared with those of the queries: for a block of
// keys, and where that leaves it open for pieces of 12 keys, of which those at the ends that take no part are left out.
// CHECK-LABEL: llvm.func @documents_f32_d8
// CHECK:         scf.for {{.*}} step %c96_i64
// CHECK:           scf.for {{.*}} step %c12_i64 iter_args({{.*}}) -> (i64, i64)
// CHECK:             scf.for {{.*}} -> (i64, i64)
// CHECK:               llvm.load {{.*}} -> i32
// CHECK:             scf.yield
attn.kernel @documents_f32_d8 dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @doc : i32["KV"]
  attn.mask(%b, %h, %q, %kv) {
    %x = attn.load @doc[clamp %q] : i32
    %y = attn.load @doc[inside %kv] : i32
    %r = arith.cmpi eq, %x, %y : i32
    attn.yield %r : i1
  }
}
