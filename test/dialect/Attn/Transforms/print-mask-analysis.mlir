// RUN: attn-opt %s -attn-print-mask-analysis -split-input-file -verify-diagnostics -o /dev/null

// Affine comparisons have a closed form, also with a floor division by a constant, an absolute value, or
// bounds that depend on the batch, the head or the query.
attn.kernel @closed_form dtype(f32) head_dim(64) value_dim(64) {
  attn.capture @len : i32["B"]
  attn.capture @home : i32["Q"]
  attn.mask(%b, %h, %q, %kv) {
    %size = arith.constant 16 : i64
    // expected-remark @below {{closed form: `q_idx >= kv_idx`}}
    %causal = arith.cmpi sge, %q, %kv : i64
    %back = arith.subi %q, %kv : i64
    %window = attn.dim "KV" : i64
    // expected-remark @below {{closed form: `q_idx - kv_idx < KV`}}
    %near = arith.cmpi slt, %back, %window : i64
    %len = attn.load @len[inside %b] : i64
    // expected-remark @below {{closed form: `kv_idx < len[b]`}}
    %valid = arith.cmpi slt, %kv, %len : i64
    %qblock = attn.floordiv %q, %size : i64
    %kblock = attn.floordiv %kv, %size : i64
    // expected-remark @below {{closed form: `q_idx // 16 == kv_idx // 16`}}
    %same = arith.cmpi eq, %qblock, %kblock : i64
    %distance = math.absi %back : i64
    // expected-remark @below {{closed form: `abs(q_idx - kv_idx) <= 16`}}
    %close = arith.cmpi sle, %distance, %size : i64
    %0 = arith.andi %causal, %near : i1
    %1 = arith.andi %0, %valid : i1
    %2 = arith.andi %1, %same : i1
    %3 = arith.andi %2, %close : i1
    attn.yield %3 : i1
  }
}

// -----

// A table indexed by the query or the key alone is known by its values over a block; one indexed by both is not known at
// all.
attn.kernel @tables dtype(f32) head_dim(64) value_dim(64) {
  attn.capture @doc : i32["B", "KV"]
  attn.capture @keep : i1["Q", "KV"]
  attn.mask(%b, %h, %q, %kv) {
    %dq = attn.load @doc[%b, %q] : i64
    %dk = attn.load @doc[%b, %kv] : i64
    // expected-remark @below {{table ranges: `doc[b, q_idx] == doc[b, kv_idx]`}}
    %same = arith.cmpi eq, %dq, %dk : i64
    // expected-remark @below {{per pair: `keep[q_idx, kv_idx]`}}
    %keep = attn.load @keep[%q, %kv] : i1
    %0 = arith.andi %same, %keep : i1
    attn.yield %0 : i1
  }
}

// -----

// Values of the pair that are not linear are known by their intervals; a disjunction of closed forms is one.
attn.kernel @intervals dtype(f32) head_dim(64) value_dim(64) {
  attn.mask(%b, %h, %q, %kv) {
    %three = arith.constant 3 : i64
    %zero = arith.constant 0 : i64
    %back = arith.subi %q, %kv : i64
    %step = attn.floormod %back, %three : i64
    // expected-remark @below {{intervals: `(q_idx - kv_idx) % 3 == 0`}}
    %dilated = arith.cmpi eq, %step, %zero : i64
    %prefix = arith.cmpi slt, %kv, %three : i64
    %causal = arith.cmpi sge, %q, %kv : i64
    // expected-remark @below {{closed form: `kv_idx < 3 or q_idx >= kv_idx`}}
    %seen = arith.ori %prefix, %causal : i1
    %0 = arith.andi %dilated, %seen : i1
    attn.yield %0 : i1
  }
}

// -----

// No mask, nothing to say.
attn.kernel @none dtype(f32) head_dim(64) value_dim(64) {
}
