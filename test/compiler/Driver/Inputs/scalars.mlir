attn.kernel @scalars dtype(f32) head_dim(4) value_dim(4) scale_argument {
  attn.scalar @cap : f32
  attn.scalar @flip : i1
  attn.scalar @n : i64
  attn.mask(%b, %h, %q, %kv) {
    %n = attn.get @n : i64
    %flip = attn.get @flip : i1
    %m = arith.cmpi slt, %kv, %n : i64
    %x = arith.xori %m, %flip : i1
    attn.yield %x : i1
  }
}
