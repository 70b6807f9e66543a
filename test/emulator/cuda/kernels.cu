// Small kernels with results known from the CPU; cuda.py runs them on the emulator and checks each.
// The PTX beside this file is made by: nvcc -arch=sm_80 -ptx kernels.cu
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <stdint.h>

#define KERNEL extern "C" __global__ void
__device__ __forceinline__ int gid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- Integers
KERNEL add_i32(int *o, const int *a, const int *b) { int i = gid(); o[i] = a[i] + b[i]; }
KERNEL mul_i64(long long *o, const long long *a, const long long *b) { int i = gid(); o[i] = a[i] * b[i] + 7; }
KERNEL mulhi_u64(unsigned long long *o, const unsigned long long *a, const unsigned long long *b) { int i = gid(); o[i] = __umul64hi(a[i], b[i]); }
KERNEL mulhi_i32(int *o, const int *a, const int *b) { int i = gid(); o[i] = __mulhi(a[i], b[i]); }
KERNEL div_i32(int *o, const int *a, const int *b) { int i = gid(); o[i] = a[i] / b[i] * 3 + a[i] % b[i]; }
KERNEL div_u64(unsigned long long *o, const unsigned long long *a, const unsigned long long *b) { int i = gid(); o[i] = a[i] / b[i] + a[i] % b[i]; }
KERNEL bits_u32(unsigned *o, const unsigned *a, const unsigned *b) { int i = gid(); o[i] = __popc(a[i]) + 100 * __clz(b[i]) + (__brev(a[i]) ^ __byte_perm(a[i], b[i], 0x5214)) + __ffs(b[i]); }
KERNEL shift_funnel(unsigned *o, const unsigned *a, const unsigned *b) { int i = gid(); o[i] = __funnelshift_l(a[i], b[i], i) ^ __funnelshift_rc(a[i], b[i], i); }
KERNEL shift_i64(long long *o, const long long *a, const long long *b) { int i = gid(); o[i] = (a[i] << (i & 63)) ^ (b[i] >> (i % 64)); }
KERNEL bytes_dp4a(int *o, const int *a, const int *b) { int i = gid(); o[i] = __dp4a(a[i], b[i], i); }
KERNEL narrow_i8(signed char *o, const short *a) { int i = gid(); short x = a[i]; o[i] = x > 100 ? 100 : x < -100 ? -100 : (signed char)x; }
KERNEL add_u128(unsigned long long *o, const unsigned long long *a, const unsigned long long *b) { int i = gid(); unsigned __int128 x = ((unsigned __int128)a[i] << 64 | b[i]) + ((unsigned __int128)b[i] << 64 | a[i]); o[2 * i] = (unsigned long long)x; o[2 * i + 1] = (unsigned long long)(x >> 64); }

// --- Floats
KERNEL fma_f32(float *o, const float *a, const float *b, const float *c) { int i = gid(); o[i] = fmaf(a[i], b[i], c[i]); }
KERNEL round_f32(float *o, const float *a, const float *b) { int i = gid(); o[4 * i] = __fadd_rz(a[i], b[i]); o[4 * i + 1] = __fmul_ru(a[i], b[i]); o[4 * i + 2] = __fdiv_rd(a[i], b[i]); o[4 * i + 3] = __fsqrt_rn(fabsf(a[i])); }
KERNEL div_f64(double *o, const double *a, const double *b) { int i = gid(); o[i] = a[i] / b[i] + sqrt(fabs(b[i])); }
KERNEL convert_f32(int *o, const float *a) { int i = gid(); o[4 * i] = __float2int_rn(a[i]); o[4 * i + 1] = __float2int_rz(a[i]); o[4 * i + 2] = __float2int_ru(a[i]); o[4 * i + 3] = (int)__float2uint_rd(fabsf(a[i])); }
KERNEL convert_i64(float *o, const long long *a) { int i = gid(); o[2 * i] = (float)a[i]; o[2 * i + 1] = __ll2float_rz(a[i]); }
KERNEL minmax_f32(float *o, const float *a, const float *b) { int i = gid(); o[2 * i] = fminf(a[i], b[i]); o[2 * i + 1] = fmaxf(a[i], b[i]); }
KERNEL expm_f32(float *o, const float *a) { int i = gid(); o[2 * i] = expf(a[i]); o[2 * i + 1] = logf(fabsf(a[i]) + 0.5f); }
KERNEL trig_f32(float *o, const float *a) { int i = gid(); o[2 * i] = __sinf(a[i]); o[2 * i + 1] = __cosf(a[i]); }
KERNEL rsqrt_f32(float *o, const float *a) { int i = gid(); o[2 * i] = rsqrtf(fabsf(a[i]) + 0.25f); o[2 * i + 1] = __fdividef(a[i], fabsf(a[i]) + 1.0f); }
KERNEL tanh_f32(float *o, const float *a) { int i = gid(); float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a[i])); o[i] = r; }
KERNEL half_math(__half *o, const __half *a, const __half *b) { int i = gid(); o[i] = __hfma(a[i], b[i], __hadd(a[i], b[i])); }
KERNEL half2_math(__half2 *o, const __half2 *a, const __half2 *b) { int i = gid(); o[i] = __hmul2(__hsub2(a[i], b[i]), __hmax2(a[i], b[i])); }
KERNEL bf16_math(__nv_bfloat16 *o, const __nv_bfloat16 *a, const __nv_bfloat16 *b) { int i = gid(); o[i] = __hfma(a[i], b[i], a[i]); }
KERNEL half_convert(float *o, const float *a) { int i = gid(); o[2 * i] = __half2float(__float2half_rn(a[i])); o[2 * i + 1] = __bfloat162float(__float2bfloat16_rz(a[i])); }
KERNEL half_compare(int *o, const __half *a, const __half *b) { int i = gid(); o[i] = __hlt(a[i], b[i]) + 2 * __heq(a[i], b[i]) + 4 * __hge(a[i], b[i]); }

// --- Control flow, local memory, calls
KERNEL collatz(int *o, const int *a) { int i = gid(); int x = a[i], n = 0; while (x != 1) { x = x & 1 ? 3 * x + 1 : x / 2; ++n; } o[i] = n; }
KERNEL divergent(int *o, const int *a) { int i = gid(); int s = 0; for (int j = 0; j < (i & 7); ++j) { if (a[i] >> j & 1) { s += j; continue; } for (int k = 0; k <= j; ++k) s += k * 3; } o[i] = s; }
KERNEL switch_case(int *o, const int *a) { int i = gid(); int r; switch (a[i] & 7) { case 0: r = i; break; case 1: r = i * i; break; case 2: r = ~i; break; case 3: r = i << 3; break; case 4: r = i % 5; break; case 5: r = -i; break; case 6: r = i ^ 77; break; default: r = 1; } o[i] = r; }
KERNEL local_array(int *o, const int *a) { int i = gid(); int t[16]; for (int j = 0; j < 16; ++j) t[j] = a[(i + j) & 63]; for (int j = 0; j < 16; ++j) { int k = t[j] & 15; int x = t[k]; t[k] = t[j]; t[j] = x; } int s = 0; for (int j = 0; j < 16; ++j) s = s * 3 + t[j]; o[i] = s; }
__device__ __noinline__ int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
KERNEL call_gcd(int *o, const int *a, const int *b) { int i = gid(); o[i] = gcd(a[i], b[i]) + (i & 1 ? gcd(b[i], i + 1) : 0); }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
KERNEL call_fib(int *o) { int i = gid(); o[i] = fib(i & 7); }
struct Trio { float x; double y; int z[3]; };
__device__ __noinline__ Trio scale(Trio t, int k) { t.x *= k; t.y += k; t.z[2] = t.z[0] + t.z[1] * k; return t; }
KERNEL call_struct(float *o, const float *a) { int i = gid(); Trio t; t.x = a[i]; t.y = 0.5; t.z[0] = i; t.z[1] = 2; t.z[2] = 0; t = scale(t, 3); o[i] = t.x + (float)t.y + t.z[2]; }
__constant__ int table[8] = {5, 3, 8, 1, 9, 2, 7, 4};
__device__ int counter = 41;
KERNEL const_table(int *o) { int i = gid(); o[i] = table[i & 7] + counter; }

// --- Shared memory and warps
KERNEL transpose(float *o, const float *a) { __shared__ float t[32][33]; int x = threadIdx.x, y = threadIdx.y; for (int j = 0; j < 32; j += 8) t[y + j][x] = a[(blockIdx.y * 32 + y + j) * 64 + blockIdx.x * 32 + x]; __syncthreads(); for (int j = 0; j < 32; j += 8) o[(blockIdx.x * 32 + y + j) * 64 + blockIdx.y * 32 + x] = t[x][y + j]; }
KERNEL reduce_shuffle(int *o, const int *a) { __shared__ int part[4]; int v = a[gid()]; for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x == 0) o[blockIdx.x] = part[0] + part[1] + part[2] + part[3]; }
KERNEL reduce_tree(float *o, const float *a) { extern __shared__ float s[]; int t = threadIdx.x; s[t] = a[gid()]; __syncthreads(); for (int d = blockDim.x / 2; d; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (t == 0) o[blockIdx.x] = s[0]; }
KERNEL scan_warp(int *o, const int *a) { int l = threadIdx.x & 31; int v = a[gid()]; for (int d = 1; d < 32; d *= 2) { int u = __shfl_up_sync(~0u, v, d); if (l >= d) v += u; } o[gid()] = v; }
KERNEL redux_warp(unsigned *o, const unsigned *a) { int i = gid(); o[i] = __reduce_add_sync(~0u, a[i]) ^ __reduce_max_sync(~0u, a[i]) ^ __reduce_xor_sync(~0u, a[i]); }
KERNEL vote_warp(unsigned *o, const unsigned *a) { int i = gid(); o[i] = __ballot_sync(~0u, a[i] & 1) + (__any_sync(~0u, a[i] > 10) ? 3 : 0) + (__all_sync(~0u, a[i] < 5) ? 7 : 0); }
KERNEL match_warp(unsigned *o, const unsigned *a) { int i = gid(); o[i] = __match_any_sync(~0u, a[i] & 3); }
KERNEL half_warps(int *o, const int *a) { int i = gid(); unsigned m = (threadIdx.x & 16) ? 0xFFFF0000u : 0x0000FFFFu; int v = a[i]; for (int d = 8; d; d >>= 1) v += __shfl_xor_sync(m, v, d); o[i] = v; }
KERNEL histogram(unsigned *o, const unsigned *a) { __shared__ unsigned h[16]; if (threadIdx.x < 16) h[threadIdx.x] = 0; __syncthreads(); atomicAdd(&h[a[gid()] & 15], 1u); __syncthreads(); if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], h[threadIdx.x]); }
KERNEL atomics(unsigned *o, const unsigned *a) { unsigned v = a[gid()]; atomicMax(&o[0], v); atomicMin(&o[1], v); atomicXor(&o[2], v); atomicOr(&o[3], v); atomicInc(&o[4], 9u); atomicAdd((unsigned long long *)&o[6], (unsigned long long)v << 8); }
KERNEL atomic_cas(float *o, const float *a) { float v = a[gid()]; int *p = (int *)o; int old = *(volatile int *)p, seen; do { seen = old; old = atomicCAS(p, seen, __float_as_int(fmaxf(v, __int_as_float(seen)))); } while (old != seen); }
KERNEL count_votes(int *o, const int *a) { int i = gid(); int n = __syncthreads_count(a[i] & 1); int any = __syncthreads_or(a[i] == 77); o[i] = n + 1000 * (any != 0); }
KERNEL named_barriers(int *o, const int *a) { __shared__ int s[64]; int t = threadIdx.x; if (t < 64) { s[t] = a[t]; asm volatile("bar.arrive 1, 128;" ::: "memory"); } else { asm volatile("bar.sync 1, 128;" ::: "memory"); o[t - 64] = s[127 - t] + 1; } }
KERNEL last_block(int *o, int *part, unsigned *ticket, const int *a) { __shared__ bool last; int v = a[gid()]; for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d); if (threadIdx.x == 0) { part[blockIdx.x] = v; __threadfence(); last = atomicAdd(ticket, 1u) == gridDim.x - 1; __threadfence(); } __syncthreads(); if (last && threadIdx.x == 0) { int s = 0; for (int j = 0; j < gridDim.x; ++j) s += ((volatile int *)part)[j]; *o = s; } }
KERNEL generic_pointer(int *o, const int *a, int k) { __shared__ int s[32]; int l[2]; int t = threadIdx.x; s[t] = a[t] * 2; l[0] = a[t]; l[1] = t; __syncthreads(); const int *p = k == 0 ? &s[31 - t] : k == 1 ? &l[t & 1] : &a[t ^ 1]; o[t] = *p; }

// --- Asynchronous copies and matrix products
KERNEL pipeline(float *o, const float *a) { __shared__ __align__(16) float s[2][128]; int t = threadIdx.x; float sum = 0; __pipeline_memcpy_async(&s[0][t * 4], &a[t * 4], 16); __pipeline_commit(); for (int j = 0; j < 4; ++j) { if (j < 3) __pipeline_memcpy_async(&s[(j + 1) & 1][t * 4], &a[(j + 1) * 128 + t * 4], 16); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); for (int k = 0; k < 4; ++k) sum += s[j & 1][(t + 32 * k) ^ 5]; __syncthreads(); } o[t] = sum; }
KERNEL copy_short(int *o, const int *a) { __shared__ int s[128]; int t = threadIdx.x; unsigned p = (unsigned)__cvta_generic_to_shared(&s[t * 4]); asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;\ncp.async.wait_all;" ::"r"(p), "l"(a + t * 4), "r"((t & 3) * 4) : "memory"); __syncthreads(); for (int j = 0; j < 4; ++j) o[t * 4 + j] = s[t * 4 + j]; }
KERNEL ldmatrix_trans(unsigned short *o, const unsigned short *a) { __shared__ __align__(16) unsigned short s[8 * 8 * 4]; int t = threadIdx.x; for (int j = 0; j < 8; ++j) s[t * 8 + j] = a[t * 8 + j]; __syncthreads(); unsigned r[4]; unsigned p = (unsigned)__cvta_generic_to_shared(&s[t * 8]); asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(p) : "memory"); for (int j = 0; j < 4; ++j) { o[(j * 32 + t) * 2] = r[j] & 0xFFFF; o[(j * 32 + t) * 2 + 1] = r[j] >> 16; } }
#define MMA_F32(NAME, SHAPE, TYPE, A, B) \
  KERNEL NAME(float *o, const unsigned *a, const unsigned *b, const float *c) { int l = threadIdx.x; float d[4]; \
    asm volatile("{.reg .b32 a<4>, b<2>; \n" A B "mma.sync.aligned." SHAPE ".row.col.f32." TYPE "." TYPE ".f32 {%0,%1,%2,%3}, "
#define MMA_TAIL "{%6,%7,%8,%9};}" : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]) : "l"(a + l), "l"(b + l), "f"(c[l]), "f"(c[32 + l]), "f"(c[64 + l]), "f"(c[96 + l]) : "memory"); for (int j = 0; j < 4; ++j) o[j * 32 + l] = d[j]; }
#define A4 "ld.global.b32 a0,[%4]; ld.global.b32 a1,[%4+128]; ld.global.b32 a2,[%4+256]; ld.global.b32 a3,[%4+384];\n"
#define A2 "ld.global.b32 a0,[%4]; ld.global.b32 a1,[%4+128];\n"
#define B2 "ld.global.b32 b0,[%5]; ld.global.b32 b1,[%5+128];\n"
#define B1 "ld.global.b32 b0,[%5];\n"
MMA_F32(mma_f16_k16, "m16n8k16", "f16", A4, B2) "{a0,a1,a2,a3},{b0,b1}," MMA_TAIL
MMA_F32(mma_bf16_k16, "m16n8k16", "bf16", A4, B2) "{a0,a1,a2,a3},{b0,b1}," MMA_TAIL
MMA_F32(mma_f16_k8, "m16n8k8", "f16", A2, B1) "{a0,a1},{b0}," MMA_TAIL
MMA_F32(mma_bf16_k8, "m16n8k8", "bf16", A2, B1) "{a0,a1},{b0}," MMA_TAIL
MMA_F32(mma_tf32_k8, "m16n8k8", "tf32", A4, B2) "{a0,a1,a2,a3},{b0,b1}," MMA_TAIL
MMA_F32(mma_tf32_k4, "m16n8k4", "tf32", A2, B1) "{a0,a1},{b0}," MMA_TAIL
KERNEL mma_f16_f16(unsigned *o, const unsigned *a, const unsigned *b, const unsigned *c) { int l = threadIdx.x; unsigned d0, d1; asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};" : "=r"(d0), "=r"(d1) : "r"(a[l]), "r"(a[32 + l]), "r"(a[64 + l]), "r"(a[96 + l]), "r"(b[l]), "r"(b[32 + l]), "r"(c[l]), "r"(c[32 + l])); o[l] = d0; o[32 + l] = d1; }
