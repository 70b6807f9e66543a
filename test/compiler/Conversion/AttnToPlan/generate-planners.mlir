// RUN: attn-opt %s --convert-attn-to-tile --generate-planners | FileCheck %s

// A table that is read by query and by key alike is summarized, one summary for both where they agree; the classifier reads summaries and no table.
// CHECK-LABEL: llvm.func @documents_summarize_queries(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK: scf.for
// CHECK: llvm.func @documents_summarize_keys
// CHECK: llvm.func @documents_classify(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: llvm.func @documents_refine(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64) -> i64
// CHECK: scf.while
// CHECK: tile.kernel @documents
// CHECK-SAME: attnc.planner = {closed_form = 0 : i64, key_block = {{[0-9]+}} : i64, key_values = 2 : i64, mask = {{[0-9]+}} : i64, per_batch = 1 : i64, per_head = 0 : i64, query_values = 2 : i64, scalars = [], shared_summaries = 1 : i64}
attn.kernel @documents dtype(f32) head_dim(8) value_dim(8) {
  attn.capture @doc : i32["B", "KV"]
  attn.mask(%b, %h, %q, %kv) {
    %dq = attn.load @doc[inside %b, %q] : i64
    %dk = attn.load @doc[inside %b, inside %kv] : i64
    %same = arith.cmpi eq, %dq, %dk : i64
    attn.yield %same : i1
  }
}

// A closed form needs no classifier; the scalar that the mask reads is noted, the other is not.
// CHECK-NOT: @window_summarize
// CHECK: llvm.func @window_classify
// CHECK: llvm.func @window_key_bounds(%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr)
// CHECK: llvm.func @window_refine
// CHECK: tile.kernel @window
// CHECK-SAME: closed_form = 1 : i64
// CHECK-SAME: scalars = [1]
attn.kernel @window dtype(f32) head_dim(8) value_dim(8) {
  attn.scalar @cap : f32
  attn.scalar @size : i32
  attn.mask(%b, %h, %q, %kv) {
    %size = attn.get @size : i64
    %back = arith.subi %q, %kv : i64
    %near = arith.cmpi slt, %back, %size : i64
    attn.yield %near : i1
  }
}

// CHECK-NOT: @plain_
attn.kernel @plain dtype(f32) head_dim(8) value_dim(8) {
}
