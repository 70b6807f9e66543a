//===- GpuProbe.cpp - A kernel for GPUs that shows its arguments ----------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/GpuProbe.h"

using namespace attnc;

std::string test::makeGpuProbe(const std::string &arch) {
  const std::string metadata =
      R"({"version":1,"name":"probe_f32_d4","arch":")" + arch +
      R"(","dtype":"f32","head_dim":4,"value_dim":2,"scale":0.5,"lse":false,"checked":false,)"
      R"("extents":[],"captures":[],"scalars":[{"name":"cap","type":"f32"}],"requirements":[],)"
      R"("tensors":[],"query_block":32,"threads":32,"shared_bytes":0})";
  std::string bytes;
  for (char c : metadata)
    bytes += std::to_string(static_cast<unsigned char>(c)) + ", ";
  const std::string size = std::to_string(metadata.size() + 1);
  return ".version 7.0\n.target " + arch + "\n.address_size 64\n" +
         ".visible .global .align 1 .b8 probe_f32_d4_metadata[" + size + "] = {" + bytes + "0};\n" +
         R"(.visible .entry probe_f32_d4(.param .align 8 .b8 arguments[216])
.reqntid 32, 1, 1
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<10>;
  .reg .f32 %f<4>;
  ld.param.u64 %rd1, [arguments+24];
  ld.param.u64 %rd2, [arguments+48];
  ld.param.u64 %rd3, [arguments+144];
  ld.param.f32 %f1, [arguments+208];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd4, %r4;
  setp.ge.u64 %p1, %rd4, %rd1;
  @%p1 bra DONE;
  shl.b64 %rd5, %rd4, 4;
  add.s64 %rd6, %rd2, %rd5;
  shl.b64 %rd7, %rd4, 3;
  add.s64 %rd8, %rd3, %rd7;
  ld.global.f32 %f2, [%rd6];
  mul.f32 %f3, %f1, %f2;
  st.global.f32 [%rd8], %f3;
  st.global.f32 [%rd8+4], %f3;
DONE:
  ret;
}
)";
}
