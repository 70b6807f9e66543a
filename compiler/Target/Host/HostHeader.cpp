//===- HostHeader.cpp - A header to call kernels with -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Host/HostHeader.h"
#include "attnc/HostKernel.h"
#include "compiler/Target/KernelInfo/ArgumentStruct.h"
#include "compiler/Target/KernelInfo/MetadataFields.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attnc;
using namespace attnc::metadata;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

/// Types that headers share.
static constexpr const char *types = R"(
#ifndef ATTNC_HOST_LAUNCH_TYPES
#define ATTNC_HOST_LAUNCH_TYPES
#ifdef __cplusplus
#define ATTNC_HOST_ASSERT static_assert
#else
#define ATTNC_HOST_ASSERT _Static_assert
#endif
// A tensor that is read. Strides count elements; those of a row are next to one another.
typedef struct attnc_input {
  const void *data;
  int64_t batch_stride, head_stride, row_stride;
} attnc_input;
// A tensor that is written.
typedef struct attnc_output {
  void *data;
  int64_t batch_stride, head_stride, row_stride;
} attnc_output;
// An f32 as an argument of 64 bits.
typedef struct attnc_f32 {
  float value;
  uint32_t zero;
} attnc_f32;
// Who runs a launch; zero what is not set.
typedef struct attnc_executor {
  // Calls body(argument, i) once for each i from 0 to count - 1, on any threads, and returns when all
  // calls have; `count` is at most `threads`. NULL: the thread that launches does all.
  void (*parallel_for)(void *context, int64_t count, void (*body)(void *argument, int64_t i),
                       void *argument);
  void *context;
  int64_t threads; // at most 1048576; 1 without parallel_for
  // A multiple of 64, with NAME_scratch_bytes for each of `threads`, for this launch alone. NULL: it
  // is on the stacks of the threads.
  void *scratch;
} attnc_executor;
// What a launch returns. Nothing is computed where it is not 0.
enum {
  ATTNC_LAUNCHED = 0,
  // B, Hq, Hkv, Q or KV is above 2147483647, there are more blocks than 63 bits count, a size is
  // negative, or Hq is no multiple of Hkv.
  ATTNC_WRONG_SIZE = 1,
  ATTNC_NO_TENSOR = 2,     // a tensor with elements has no data, or there are no arguments
  ATTNC_WRONG_EXECUTOR = 3 // its threads are out of range, or its scratch memory is not aligned
};
#endif
)";

static void writeKernel(const json::Object &kernel, llvm::raw_ostream &os) {
  StringRef name = getString(kernel, "name"), dtype = getString(kernel, "dtype");
  std::optional<double> scale = kernel.getNumber("scale");
  int64_t headDim = getInteger(kernel, "head_dim"), valueDim = getInteger(kernel, "value_dim");
  os << "\n// The arguments of " << name << "; zero what is not set.\n"
     << formatv("typedef struct {0}_args {{\n", name)
     << "  int64_t B, Hq, Hkv, Q, KV;\n  attnc_f32 scale;  // ";
  if (scale)
    os << llvm::format("must be %.9g, which the program fixes", *scale);
  else
    os << "of the scores";
  os << formatv("\n  attnc_input q;   // {0}[B, Hq, Q, {1}]\n", dtype, headDim)
     << formatv("  attnc_input k;   // {0}[B, Hkv, KV, {1}]\n", dtype, headDim)
     << formatv("  attnc_input v;   // {0}[B, Hkv, KV, {1}]\n", dtype, valueDim)
     << formatv("  attnc_output o;  // {0}[B, Hq, Q, {1}]\n", dtype, valueDim)
     << "  attnc_output lse; // "
     << (getBool(kernel, "lse") ? "f32[B, Hq, Q]" : "not written by this kernel") << "\n";
  writeProgramFields(kernel, {"const void *", "attnc_f32"}, os);
  os << formatv("} {0}_args;\n", name)
     << formatv("ATTNC_HOST_ASSERT(sizeof({0}_args) == {1}, \"pointers have 64 bits\");\n", name,
                countSlots(kernel) * 8)
     << formatv("// Of a thread.\nenum {{ {0}_scratch_bytes = {1} };\n", name,
                getScratchStride(getInteger(kernel, "scratch_bytes")))
     << formatv("// Computes o{1}. NULL for the executor: this thread does all.\n"
                "int {0}(const {0}_args *args, const attnc_executor *executor);\n",
                name, getBool(kernel, "lse") ? " and lse" : "");
}

void attnc::writeHostHeader(StringRef name, const json::Array &kernels, llvm::raw_ostream &os) {
  std::string guard = "ATTNC_HOST_" + name.upper() + "_H";
  os << formatv("// Kernels of {0} as functions of an object file, for C11 and C++17. By attnc.\n"
                "// They allocate nothing, keep no state, and may be called by several threads.\n"
                "#ifndef {1}\n#define {1}\n\n#include <stdint.h>\n",
                name, guard)
     << types << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const json::Value &kernel : kernels)
    writeKernel(*kernel.getAsObject(), os);
  os << "\n#ifdef __cplusplus\n}\n#endif\n" << formatv("\n#endif // {0}\n", guard);
}
