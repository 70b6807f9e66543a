; Kernels in the shapes that a compiler emits; the results are checked in backend.test.
target triple = "nvptx64-nvidia-cuda"

%params = type { ptr addrspace(1), ptr addrspace(1), i32, float, i16, [3 x i32], half }

@dynamic = external addrspace(3) global [0 x i8], align 128
@tile = internal addrspace(3) global [128 x i32] undef, align 16
@table = internal addrspace(4) constant [8 x i32] [i32 10, i32 20, i32 30, i32 40, i32 50, i32 60, i32 70, i32 80]
@list = internal addrspace(1) constant [8 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8]
@places = internal addrspace(1) constant [2 x ptr addrspace(1)] [ptr addrspace(1) @list, ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @list, i64 8)]
@generic = internal addrspace(1) global ptr addrspacecast (ptr addrspace(1) @list to ptr)
@counter = addrspace(1) global i32 0

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.warpsize()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.membar.gl()
declare void @llvm.nvvm.nanosleep(i32)
declare void @llvm.trap()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare i32 @llvm.nvvm.shfl.sync.down.i32(i32, i32, i32, i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.nvvm.activemask()
declare i32 @llvm.nvvm.redux.sync.umin(i32, i32)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare void @llvm.nvvm.cp.async.wait.all()
declare { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32, i32, i32, i32, i32, i32, float, float, float, float)
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, float, float, float)
declare { <2 x half>, <2 x half> } @llvm.nvvm.mma.m16n8k16.row.col.f16.f16(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>)
declare <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float, float)
declare <2 x half> @llvm.nvvm.ff2f16x2.rn(float, float)

; A jump table.
define ptx_kernel void @cases(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  switch i32 %t, label %end [
    i32 0, label %a
    i32 1, label %b
    i32 2, label %c
    i32 3, label %d
    i32 4, label %e
    i32 5, label %a
    i32 6, label %b
  ]
a:
  call void @llvm.nvvm.nanosleep(i32 10)
  br label %end
b:
  call void @llvm.nvvm.membar.gl()
  br label %end
c:
  br label %end
d:
  br label %end
e:
  br label %end
end:
  %r = phi i32 [ 100, %0 ], [ 1, %a ], [ 2, %b ], [ 3, %c ], [ 4, %d ], [ 5, %e ]
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %r, ptr addrspace(1) %p
  ret void
}

; Calls with vectors, structures and recursion.
define internal { i32, float } @callee(i32 %x, <4 x float> %v, { i64, i8 } %s) noinline {
  %e = extractelement <4 x float> %v, i32 2
  %k = extractvalue { i64, i8 } %s, 1
  %w = zext i8 %k to i32
  %y = add i32 %x, %w
  %r = insertvalue { i32, float } undef, i32 %y, 0
  %q = insertvalue { i32, float } %r, float %e, 1
  ret { i32, float } %q
}

define internal i32 @fibonacci(i32 %n) noinline {
  %c = icmp slt i32 %n, 2
  br i1 %c, label %done, label %deeper
deeper:
  %a = sub i32 %n, 1
  %b = sub i32 %n, 2
  %x = call i32 @fibonacci(i32 %a)
  %y = call i32 @fibonacci(i32 %b)
  %z = add i32 %x, %y
  ret i32 %z
done:
  ret i32 %n
}

define ptx_kernel void @calls(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %f = sitofp i32 %t to float
  %v = insertelement <4 x float> zeroinitializer, float %f, i32 2
  %k = trunc i32 %t to i8
  %s = insertvalue { i64, i8 } zeroinitializer, i8 %k, 1
  %r = call { i32, float } @callee(i32 %t, <4 x float> %v, { i64, i8 } %s)
  %a = extractvalue { i32, float } %r, 0
  %b = extractvalue { i32, float } %r, 1
  %i = fptosi float %b to i32
  %n = and i32 %t, 7
  %g = call i32 @fibonacci(i32 %n)
  %c = add i32 %a, %i
  %d = mul i32 %g, 1000
  %e = add i32 %c, %d
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %e, ptr addrspace(1) %p
  ret void
}

; Local arrays, memcpy and memset.
define ptx_kernel void @locals(ptr addrspace(1) %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %m = alloca [16 x i32], align 16
  %w = alloca [16 x i32], align 16
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  %q = getelementptr i32, ptr %m, i32 %i
  %v = mul i32 %i, %t
  store i32 %v, ptr %q
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, 16
  br i1 %c, label %loop, label %end
end:
  call void @llvm.memcpy.p0.p0.i64(ptr %w, ptr %m, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr %m, i8 3, i64 64, i1 false)
  %k = and i32 %t, 15
  %a = getelementptr i32, ptr %w, i32 %k
  %x = load i32, ptr %a
  %b = getelementptr i32, ptr %m, i32 %k
  %y = load i32, ptr %b
  %z = xor i32 %x, %y
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %z, ptr addrspace(1) %p
  ret void
}

; Fields of a structure passed by value, one of them at a computed place; source lines.
define ptx_kernel void @fields(ptr byval(%params) align 8 %p) !dbg !4 {
  %po = getelementptr %params, ptr %p, i32 0, i32 1
  %pn = getelementptr %params, ptr %p, i32 0, i32 2
  %ps = getelementptr %params, ptr %p, i32 0, i32 3
  %ph = getelementptr %params, ptr %p, i32 0, i32 4
  %pf = getelementptr %params, ptr %p, i32 0, i32 6
  %in = load ptr addrspace(1), ptr %p, !dbg !7
  %out = load ptr addrspace(1), ptr %po, !dbg !7
  %n = load i32, ptr %pn
  %s = load float, ptr %ps
  %h = load i16, ptr %ph
  %f = load half, ptr %pf
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !7
  %isIn = icmp slt i32 %t, %n
  br i1 %isIn, label %body, label %end
body:
  %k = urem i32 %t, 3
  %pa = getelementptr %params, ptr %p, i32 0, i32 5, i32 %k
  %a = load i32, ptr %pa
  %q = getelementptr float, ptr addrspace(1) %in, i32 %t
  %x = load float, ptr addrspace(1) %q, !invariant.load !9
  %g = fpext half %f to float
  %h32 = sext i16 %h to i32
  %ah = add i32 %a, %h32
  %i = sitofp i32 %ah to float
  %y = fmul float %x, %s
  %z = fadd float %y, %g
  %r = fadd float %z, %i
  %o = getelementptr float, ptr addrspace(1) %out, i32 %t
  store float %r, ptr addrspace(1) %o, !dbg !8
  ret void, !dbg !8
end:
  ret void
}

; Memory forms: vectors, generic addresses, constant memory, atomics, fences, small parameters.
define ptx_kernel void @memory(ptr addrspace(1) noalias readonly %x, ptr addrspace(1) noalias %out, i1 zeroext %flag, i8 %byte, i16 signext %short, double %d) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %q = getelementptr <4 x float>, ptr addrspace(1) %x, i32 %t
  %v = load <4 x float>, ptr addrspace(1) %q, align 16, !invariant.load !9
  %h = load <8 x half>, ptr addrspace(1) %q, align 16
  %b4 = load <4 x i8>, ptr addrspace(1) %q, align 4
  %v2 = fadd <4 x float> %v, %v
  %h2 = fadd <8 x half> %h, %h
  %slot = getelementptr i32, ptr addrspace(3) @tile, i32 %t
  %ti = select i1 %flag, i32 %t, i32 0
  store i32 %ti, ptr addrspace(3) %slot
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = xor i32 %t, 1
  %near = getelementptr i32, ptr addrspace(3) @tile, i32 %other
  %g = addrspacecast ptr addrspace(3) %near to ptr
  %l = load i32, ptr %g
  %k = and i32 %t, 7
  %cp = getelementptr i32, ptr addrspace(4) @table, i32 %k
  %c = load i32, ptr addrspace(4) %cp
  %gc = addrspacecast ptr addrspace(4) %cp to ptr
  %c2 = load volatile i32, ptr %gc
  %lp = getelementptr i32, ptr addrspace(1) @list, i32 %k
  %n = load i32, ptr addrspace(1) %lp
  %pp = load volatile ptr addrspace(1), ptr addrspace(1) getelementptr (i8, ptr addrspace(1) @places, i64 8)
  %n2 = load i32, ptr addrspace(1) %pp
  %pg = load ptr, ptr addrspace(1) @generic
  %n3 = load volatile i32, ptr %pg
  %a0 = atomicrmw add ptr addrspace(1) @counter, i32 1 seq_cst
  %a1 = atomicrmw umax ptr addrspace(1) @counter, i32 5 acq_rel
  %a2 = cmpxchg ptr addrspace(1) @counter, i32 1000, i32 5 acq_rel monotonic
  %a3 = load atomic i32, ptr addrspace(1) @counter acquire, align 4
  store atomic i32 %a3, ptr addrspace(1) @counter release, align 4
  fence acq_rel
  fence syncscope("block") seq_cst
  %b = zext i8 %byte to i32
  %s = sext i16 %short to i32
  %di = fptosi double %d to i32
  %s0 = add i32 %b, %s
  %s1 = add i32 %s0, %n
  %s2 = add i32 %s1, %n2
  %s3 = add i32 %s2, %n3
  %s4 = add i32 %s3, %l
  %s5 = add i32 %s4, %c
  %s6 = add i32 %s5, %c2
  %s7 = add i32 %s6, %di
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %s7, ptr addrspace(1) %p
  %pv = getelementptr i8, ptr addrspace(1) %out, i64 256
  %p4 = getelementptr <4 x float>, ptr addrspace(1) %pv, i32 %t
  store <4 x float> %v2, ptr addrspace(1) %p4, align 16
  %ph = getelementptr i8, ptr addrspace(1) %out, i64 1280
  %p8 = getelementptr <8 x half>, ptr addrspace(1) %ph, i32 %t
  store <8 x half> %h2, ptr addrspace(1) %p8, align 16
  %pb = getelementptr i8, ptr addrspace(1) %out, i64 2304
  %pq = getelementptr <4 x i8>, ptr addrspace(1) %pb, i32 %t
  store <4 x i8> %b4, ptr addrspace(1) %pq, align 4
  ret void
}

; Barriers, votes, shuffles and a branch that nobody takes.
define ptx_kernel void @together(ptr addrspace(1) %out) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %w = call i32 @llvm.nvvm.read.ptx.sreg.warpsize()
  %c = icmp sgt i32 %t, 1000
  br i1 %c, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
  call void @llvm.nvvm.barrier.cta.sync.all(i32 2)
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %odd = trunc i32 %t to i1
  %n = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 %odd)
  %m = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %t)
  %am = call i32 @llvm.nvvm.activemask()
  %low = call i32 @llvm.nvvm.redux.sync.umin(i32 %t, i32 -1)
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %odd)
  %all = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %odd)
  %up = call { i32, i1 } @llvm.nvvm.shfl.sync.up.i32p(i32 -1, i32 %t, i32 3, i32 0)
  %uv = extractvalue { i32, i1 } %up, 0
  %ui = extractvalue { i32, i1 } %up, 1
  %u = select i1 %ui, i32 %uv, i32 500
  %f = sitofp i32 %t to float
  %bf = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float %f, i32 5, i32 31)
  %bi = fptosi float %bf to i32
  %x0 = add i32 %n, %m
  %x1 = add i32 %x0, %am
  %x2 = add i32 %x1, %low
  %x3 = add i32 %x2, %w
  %x4 = add i32 %x3, %all
  %x5 = add i32 %x4, %u
  %x6 = add i32 %x5, %bi
  %x7 = select i1 %any, i32 %x6, i32 0
  %p = getelementptr i32, ptr addrspace(1) %out, i32 %t
  store i32 %x7, ptr addrspace(1) %p
  ret void
}

; D = A * B of 16 x 16 and 16 x 8 in bf16, f16 with f32 sums, and f16; A and B come by cp.async and ldmatrix.
define ptx_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %out, i32 %rows) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = shl i32 %t, 4
  %sa = getelementptr i8, ptr addrspace(3) @dynamic, i32 %at
  %ga = getelementptr i8, ptr addrspace(1) %a, i32 %at
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %sa, ptr addrspace(1) %ga)
  ; B has `rows` rows of 16 bytes; others are zero.
  %row = and i32 %t, 15
  %br = shl i32 %row, 4
  %sb = getelementptr i8, ptr addrspace(3) @dynamic, i32 512
  %sbr = getelementptr i8, ptr addrspace(3) %sb, i32 %br
  %gb = getelementptr i8, ptr addrspace(1) %b, i32 %br
  %isIn = icmp slt i32 %row, %rows
  %size = select i1 %isIn, i32 16, i32 0
  %first = icmp ult i32 %t, 16
  br i1 %first, label %copy, label %wait
copy:
  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %sbr, ptr addrspace(1) %gb, i32 %size)
  br label %wait
wait:
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r16 = shl i32 %row, 5
  %hi = lshr i32 %t, 4
  %c8 = shl i32 %hi, 4
  %off = or i32 %r16, %c8
  %ma = getelementptr i8, ptr addrspace(3) @dynamic, i32 %off
  %fa = call { i32, i32, i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %ma)
  %fb = call { i32, i32 } @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %sbr)
  %a0 = extractvalue { i32, i32, i32, i32 } %fa, 0
  %a1 = extractvalue { i32, i32, i32, i32 } %fa, 1
  %a2 = extractvalue { i32, i32, i32, i32 } %fa, 2
  %a3 = extractvalue { i32, i32, i32, i32 } %fa, 3
  %b0 = extractvalue { i32, i32 } %fb, 0
  %b1 = extractvalue { i32, i32 } %fb, 1
  %h0 = bitcast i32 %a0 to <2 x half>
  %h1 = bitcast i32 %a1 to <2 x half>
  %h2 = bitcast i32 %a2 to <2 x half>
  %h3 = bitcast i32 %a3 to <2 x half>
  %g0 = bitcast i32 %b0 to <2 x half>
  %g1 = bitcast i32 %b1 to <2 x half>
  %d = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0, i32 %a1, i32 %a2, i32 %a3, i32 %b0, i32 %b1, float 0.0, float 0.0, float 0.0, float 0.0)
  %e = call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %h0, <2 x half> %h1, <2 x half> %h2, <2 x half> %h3, <2 x half> %g0, <2 x half> %g1, float 0.0, float 0.0, float 0.0, float 0.0)
  %f = call { <2 x half>, <2 x half> } @llvm.nvvm.mma.m16n8k16.row.col.f16.f16(<2 x half> %h0, <2 x half> %h1, <2 x half> %h2, <2 x half> %h3, <2 x half> %g0, <2 x half> %g1, <2 x half> zeroinitializer, <2 x half> zeroinitializer)
  %d0 = extractvalue { float, float, float, float } %d, 0
  %d1 = extractvalue { float, float, float, float } %d, 1
  %d2 = extractvalue { float, float, float, float } %d, 2
  %d3 = extractvalue { float, float, float, float } %d, 3
  %e0 = extractvalue { float, float, float, float } %e, 0
  %e1 = extractvalue { float, float, float, float } %e, 1
  %e2 = extractvalue { float, float, float, float } %e, 2
  %e3 = extractvalue { float, float, float, float } %e, 3
  %f0 = extractvalue { <2 x half>, <2 x half> } %f, 0
  %f1 = extractvalue { <2 x half>, <2 x half> } %f, 1
  %p0 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %d1, float %d0)
  %p1 = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float %d3, float %d2)
  %q0 = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %e1, float %e0)
  %q1 = call <2 x half> @llvm.nvvm.ff2f16x2.rn(float %e3, float %e2)
  ; Row t / 4 and t / 4 + 8, columns 2 (t % 4) and the next.
  %g = lshr i32 %t, 2
  %c = and i32 %t, 3
  %g4 = shl i32 %g, 2
  %w0 = or i32 %g4, %c
  %w1 = add i32 %w0, 32
  %o0 = getelementptr i32, ptr addrspace(1) %out, i32 %w0
  %o1 = getelementptr i32, ptr addrspace(1) %out, i32 %w1
  store <2 x bfloat> %p0, ptr addrspace(1) %o0
  store <2 x bfloat> %p1, ptr addrspace(1) %o1
  %o2 = getelementptr i32, ptr addrspace(1) %o0, i32 64
  %o3 = getelementptr i32, ptr addrspace(1) %o1, i32 64
  store <2 x half> %q0, ptr addrspace(1) %o2
  store <2 x half> %q1, ptr addrspace(1) %o3
  %o4 = getelementptr i32, ptr addrspace(1) %o0, i32 128
  %o5 = getelementptr i32, ptr addrspace(1) %o1, i32 128
  store <2 x half> %f0, ptr addrspace(1) %o4
  store <2 x half> %f1, ptr addrspace(1) %o5
  ret void
}

; Small copies with and without a size.
define ptx_kernel void @copies(ptr addrspace(1) %in, ptr addrspace(1) %out, i32 %n) #1 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o16 = shl i32 %t, 4
  %g = getelementptr i8, ptr addrspace(1) %in, i32 %o16
  %s = getelementptr i8, ptr addrspace(3) @dynamic, i32 %o16
  call void @llvm.nvvm.cp.async.ca.shared.global.16(ptr addrspace(3) %s, ptr addrspace(1) %g)
  call void @llvm.nvvm.cp.async.wait.all()
  %s4 = getelementptr i8, ptr addrspace(3) %s, i32 4
  %g4 = getelementptr i8, ptr addrspace(1) %g, i32 4
  %n4 = and i32 %n, 3
  call void @llvm.nvvm.cp.async.ca.shared.global.4.s(ptr addrspace(3) %s4, ptr addrspace(1) %g4, i32 %n4)
  %s8 = getelementptr i8, ptr addrspace(3) %s, i32 8
  %g8 = getelementptr i8, ptr addrspace(1) %g, i32 8
  call void @llvm.nvvm.cp.async.ca.shared.global.8.s(ptr addrspace(3) %s8, ptr addrspace(1) %g8, i32 %n)
  call void @llvm.nvvm.cp.async.wait.all()
  %v = load <4 x i32>, ptr addrspace(3) %s, align 16
  %p = getelementptr <4 x i32>, ptr addrspace(1) %out, i32 %t
  store <4 x i32> %v, ptr addrspace(1) %p, align 16
  ret void
}

attributes #0 = { "nvvm.maxntid"="64,1,1" "nvvm.maxnreg"="64" "nvvm.minctasm"="2" }
attributes #1 = { "nvvm.reqntid"="32" }

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "attnc", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.attn", directory: "/source")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 2}
!4 = distinct !DISubprogram(name: "fields", scope: !1, file: !1, line: 10, type: !5, scopeLine: 10, spFlags: DISPFlagDefinition, unit: !0)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 11, column: 3, scope: !10, inlinedAt: !12)
!8 = !DILocation(line: 12, column: 5, scope: !4)
!9 = !{}
!10 = distinct !DISubprogram(name: "inner", scope: !1, file: !1, line: 20, type: !5, scopeLine: 20, spFlags: DISPFlagDefinition, unit: !0)
!12 = distinct !DILocation(line: 13, column: 7, scope: !4)
