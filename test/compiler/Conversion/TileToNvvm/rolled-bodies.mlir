// RUN: attn-opt %s --convert-tile-to-nvvm --canonicalize --cse | FileCheck %s

// Scores go into shared memory, a row of 128 bytes for each of a thread's scores of the warp; a loop over the columns of a thread
// computes them for both rows, and they come back. What the mask says of pairs is in the loop, that there are only so many keys behind it.
// CHECK-LABEL: llvm.func @bodies(
// CHECK:         scf.for
// CHECK:         %[[PRODUCT:.*]] = nvvm.mma.sync
// CHECK:         %[[DOT:.*]] = llvm.extractvalue %[[PRODUCT]][0]
// CHECK:         nvvm.barrier
// CHECK:         %[[WARP:.*]] = arith.shli %{{.*}}, %c7_i32
// CHECK:         %[[LANE:.*]] = arith.shli %{{.*}}, %c2_i32
// CHECK:         %[[OWN:.*]] = arith.addi %[[WARP]], %[[LANE]]
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %{{.*}}[%[[OWN]]]
// CHECK:         %[[FIRST:.*]] = llvm.getelementptr %[[PLACE]][8192]
// CHECK:         llvm.store %[[DOT]], %[[FIRST]]
// CHECK:         %[[SECOND:.*]] = llvm.getelementptr %[[FIRST]][256]
// CHECK:         llvm.store %{{.*}}, %[[SECOND]]
// CHECK:         scf.for %[[N:.*]] = %c0_i32 to %c4_i32 step %c1_i32 : i32 {
// CHECK:           %[[KEY:.*]] = arith.addi %{{.*}}, %[[N]]
// CHECK:           %[[USED:.*]] = arith.minsi %[[KEY]],
// CHECK:           %[[PANEL:.*]] = arith.muli %{{.*}}, %c4096_i32
// CHECK:           %[[ROW:.*]] = arith.muli %{{.*}}, %c256_i32
// CHECK:           %[[BYTES:.*]] = arith.addi %[[PANEL]], %[[ROW]]
// CHECK:           %[[UPPER:.*]] = llvm.getelementptr %[[FIRST]][%[[BYTES]]]
// CHECK:           %[[S0:.*]] = llvm.load %[[UPPER]]
// CHECK:           %[[LOWER:.*]] = llvm.getelementptr %[[UPPER]][128]
// CHECK:           %[[S1:.*]] = llvm.load %[[LOWER]]
// CHECK:           %[[SCALED:.*]] = arith.mulf %[[S0]],
// CHECK:           %[[SCORE:.*]] = arith.addf %[[SCALED]], %[[SCALED]]
// CHECK:           %[[AND:.*]] = arith.andi %[[QUERY:.*]], %[[USED]]
// CHECK:           %[[KEEP:.*]] = arith.cmpi eq, %[[AND]], %[[QUERY]]
// CHECK:           %[[TAKEN0:.*]] = arith.select %[[KEEP]], %[[SCORE]],
// CHECK:           %[[TAKEN1:.*]] = arith.select
// CHECK-NOT:       arith.mulf
// CHECK:           llvm.store %[[TAKEN0]], %[[UPPER]]
// CHECK:           llvm.store %[[TAKEN1]], %[[LOWER]]
// CHECK:         }
// CHECK:         %[[R0:.*]] = llvm.load %[[FIRST]]
// CHECK:         %[[IN0:.*]] = arith.select %{{.*}}, %[[R0]],
// CHECK:         arith.maxnumf %[[IN0]],

// Full blocks have all keys.
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c4_i32 step %c1_i32 : i32 {
// CHECK-NOT:       arith.minsi
// CHECK-NOT:       arith.select
// CHECK:         arith.maxnumf
tile.kernel @bodies warp_schedule(<query_block = 32, warp_rows = 16, key_block = 16, masked_key_block = 16, tensor_cores = true, rolled = true>) queries(%block) {
  attn.kernel @bodies dtype(bf16) head_dim(16) value_dim(16) {
    attn.score(%s, %b, %h, %q, %kv) {
      %2 = arith.addf %s, %s : f32
      attn.yield %2 : f32
    }
    attn.mask(%b, %h, %q, %kv) {
      %2 = arith.andi %q, %kv : i64
      %3 = arith.cmpi eq, %2, %q : i64
      attn.yield %3 : i1
    }
  }
  %0 = tile.load_queries %block
  %1 = tile.init_state %block
  tile.for_keys(%keys) of %block {
    %2 = tile.load_keys %keys
    %3 = tile.load_values %keys
    tile.for_queries of %block, %keys full(%rows) {
      %4 = tile.dot %0[%rows], %2
      %5 = tile.map %4[%rows, %keys]
      %6 = tile.softmax_step %5, %1[%rows]
      tile.dot_acc %6, %3, %1[%rows]
    } partial(%rows) {
      %4 = tile.dot %0[%rows], %2
      %5 = tile.map %4[%rows, %keys]
      %6 = tile.mask %5[%rows, %keys]
      %7 = tile.softmax_step %6, %1[%rows]
      tile.dot_acc %7, %3, %1[%rows]
    }
  }
  tile.epilogue %1[%block]
}

// In f32 columns are in pairs, and all of the warp have read their scores before weights take their place.
// CHECK-LABEL: llvm.func @columns_f32(
// CHECK:         scf.for %[[N:.*]] = %c0_i32 to %c4_i32 step %c1_i32 : i32 {
// CHECK:           %[[PAIR:.*]] = arith.shrui %[[N]], %c1_i32
// CHECK:           %[[EIGHT:.*]] = arith.shli %[[PAIR]], %c3_i32
// CHECK:           %[[ODD:.*]] = arith.andi %[[N]], %c1_i32
// CHECK:           %[[COLUMN:.*]] = arith.addi %[[EIGHT]], %[[ODD]]
// CHECK:           arith.addi %{{.*}}, %[[COLUMN]]
// CHECK:           llvm.store
// CHECK:           llvm.store
// CHECK:         }
// CHECK-COUNT-8: llvm.load
// CHECK:         nvvm.bar.warp.sync
// CHECK:         arith.maxnumf
tile.kernel @columns_f32 warp_schedule(<query_block = 32, warp_rows = 16, key_block = 16, masked_key_block = 16, tensor_cores = false, rolled = true>) queries(%block) {
  attn.kernel @columns_f32 dtype(f32) head_dim(16) value_dim(16) {
    attn.score(%s, %b, %h, %q, %kv) {
      %2 = arith.addf %s, %s : f32
      attn.yield %2 : f32
    }
    attn.mask(%b, %h, %q, %kv) {
      %2 = arith.andi %q, %kv : i64
      %3 = arith.cmpi eq, %2, %q : i64
      attn.yield %3 : i1
    }
  }
  %0 = tile.load_queries %block
  %1 = tile.init_state %block
  tile.for_keys(%keys) of %block {
    %2 = tile.load_keys %keys
    %3 = tile.load_values %keys
    tile.for_queries of %block, %keys full(%rows) {
      %4 = tile.dot %0[%rows], %2
      %5 = tile.map %4[%rows, %keys]
      %6 = tile.softmax_step %5, %1[%rows]
      tile.dot_acc %6, %3, %1[%rows]
    } partial(%rows) {
      %4 = tile.dot %0[%rows], %2
      %5 = tile.map %4[%rows, %keys]
      %6 = tile.mask %5[%rows, %keys]
      %7 = tile.softmax_step %6, %1[%rows]
      tile.dot_acc %7, %3, %1[%rows]
    }
  }
  tile.epilogue %1[%block]
}
