// RUN: attn-opt %s --convert-attn-to-tile --convert-tile-to-nvvm --verify-diagnostics

// A kernel that was scheduled for a CPU has no tiles for warps.
// expected-error@+1 {{expected a warp_schedule, got a schedule for CPUs}}
attn.kernel @plain_f32_d64 dtype(f32) head_dim(64) value_dim(64) {
}
