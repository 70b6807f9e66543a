//===- LaunchHeader.cpp - A header to launch kernels with -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/Ptx/LaunchHeader.h"
#include "attnc/GpuKernel.h"
#include "compiler/Target/KernelInfo/ArgumentStruct.h"
#include "compiler/Target/KernelInfo/MetadataFields.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attnc;
using namespace attnc::metadata;
using llvm::ArrayRef;
using llvm::formatv;
using llvm::StringRef;
namespace json = llvm::json;

/// Types that headers share.
static void writeTypes(llvm::raw_ostream &os) {
  os << R"(
#ifndef ATTNC_GPU_LAUNCH_TYPES
#define ATTNC_GPU_LAUNCH_TYPES
#ifdef __cplusplus
#define ATTNC_STATIC_ASSERT static_assert
#else
#define ATTNC_STATIC_ASSERT _Static_assert
#endif
// A tensor in device memory. Strides count elements.
typedef struct attnc_gpu_tensor_t {
  uint64_t data; // as a CUdeviceptr
  int64_t batch_stride, head_stride, row_stride;
} attnc_gpu_tensor_t;
// An f32 as an argument of 64 bits.
typedef struct attnc_gpu_f32_t {
  float value;
  uint32_t zero;
} attnc_gpu_f32_t;
// What launching a kernel of one architecture takes.
typedef struct attnc_gpu_kernel_t {
  const char *entry;
  int64_t query_block;   // rows of q that a block computes
  unsigned threads;      // of a block, in one dimension
  unsigned shared_bytes; // of dynamic shared memory of a block
  // The entries for launches with few queries or blocks; short_rows is 0 if there are none.
  const char *short_entry, *combine_entry;
  int64_t short_rows; // pairs of a query and a head that a block computes
  int packs_heads;    // whether they are of all heads of a group
  unsigned short_threads, short_shared_bytes, combine_threads, combine_shared_bytes;
  int64_t workspace_row_bytes; // for each row of o and split
  // The entry that summarizes captured tables, before the others; 0 if there is none.
  const char *summarize_entry;
  unsigned summarize_threads, summarize_shared_bytes;
  int64_t summary_block;                            // keys or queries of a summary
  int64_t summary_key_values, summary_query_values; // of 64 bits
  int summaries_per_batch, summaries_per_head;      // whether each has its own
} attnc_gpu_kernel_t;
// The second parameter of all entries, by value; those that do not take it ignore it.
typedef struct attnc_gpu_workspace_t {
  uint64_t split_rows; // as a CUdeviceptr, a multiple of 16; what several splits leave
  int64_t splits;
  uint64_t summaries; // as a CUdeviceptr, a multiple of 16; of captured tables
} attnc_gpu_workspace_t;
// How a launch is made: by the entry that summarizes if it has blocks, then with 0 splits by the
// main entry, else by the short one, and after it by the one that combines if that has blocks. All
// grids have one dimension.
typedef struct attnc_gpu_launch_t {
  int64_t splits;
  int64_t blocks; // 0 if there is nothing to launch, -1 if no grid has so many
  int64_t combine_blocks, summarize_blocks;
  int64_t workspace_bytes, summaries_offset; // what splits leave, and behind it the summaries
} attnc_gpu_launch_t;
// The second parameter for a workspace at this address, a multiple of 16.
static inline attnc_gpu_workspace_t attnc_gpu_workspace(const attnc_gpu_launch_t *launch, uint64_t address) {
  attnc_gpu_workspace_t workspace;
  workspace.split_rows = address;
  workspace.splits = launch->splits;
  workspace.summaries = address + (uint64_t)launch->summaries_offset;
  return workspace;
}
static inline int64_t attnc_gpu_multiply(int64_t a, int64_t b) {
  return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
static inline int64_t attnc_gpu_add(int64_t a, int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}
static inline int64_t attnc_gpu_parts(int64_t count, int64_t size) {
  return count / size + (count % size != 0);
}
// The launch for B, Hq, Hkv, Q and KV on a GPU with so many multiprocessors.
static inline attnc_gpu_launch_t attnc_gpu_plan(const attnc_gpu_kernel_t *kernel, int64_t B, int64_t Hq,
                                                int64_t Hkv, int64_t Q, int64_t KV,
                                                int64_t multiprocessors) {
)"
     << formatv(
            R"(  const int64_t limit = {0}, short_queries = {1}, blocks_per_multiprocessor = {2};
  const int64_t split_keys = {3}, max_splits = {4};
)",
            GpuKernel::maxBlocks, GpuKernel::shortQueries, GpuKernel::blocksPerMultiprocessor,
            GpuKernel::splitKeys, GpuKernel::maxSplits)
     << R"(  const int64_t heads = attnc_gpu_multiply(B, Hq);
  attnc_gpu_launch_t launch = {0, 0, 0, 0, 0, 0};
  launch.blocks = attnc_gpu_multiply(heads, attnc_gpu_parts(Q, kernel->query_block));
  if (kernel->short_rows > 0 && KV > 0 && (Q < short_queries || launch.blocks <= multiprocessors / 2)) {
    const int64_t packed = kernel->packs_heads && Hkv > 0 ? Hq / Hkv : 1;
    const int64_t rows = attnc_gpu_multiply(Q, packed);
    const int64_t owners = attnc_gpu_multiply(B, packed > 0 ? Hq / packed : 0);
    const int64_t tiles = attnc_gpu_multiply(attnc_gpu_parts(rows, kernel->short_rows), owners);
    int64_t splits = tiles > 0 ? blocks_per_multiprocessor * multiprocessors / tiles : 1;
    if (splits > KV / split_keys)
      splits = KV / split_keys;
    if (splits > max_splits)
      splits = max_splits;
    launch.splits = splits > 1 ? splits : 1;
    launch.blocks = attnc_gpu_multiply(tiles, launch.splits);
    if (launch.splits > 1) {
      launch.combine_blocks = attnc_gpu_multiply(heads, Q);
      launch.workspace_bytes = attnc_gpu_multiply(attnc_gpu_multiply(launch.combine_blocks, launch.splits),
                                                  kernel->workspace_row_bytes);
    }
  }
  if (kernel->summarize_entry && launch.blocks > 0 && KV > 0) {
    const int64_t owners = attnc_gpu_multiply(kernel->summaries_per_batch ? B : 1,
                                              kernel->summaries_per_head ? Hq : 1);
    const int64_t keys = attnc_gpu_parts(KV, kernel->summary_block);
    const int64_t groups = attnc_gpu_parts(keys, kernel->summarize_threads);
    const int64_t queries = kernel->summary_query_values ? attnc_gpu_parts(Q, kernel->summary_block) : 0;
    const int64_t key_values = attnc_gpu_multiply(keys + groups, kernel->summary_key_values);
    const int64_t query_values = attnc_gpu_multiply(queries, kernel->summary_query_values);
    const int64_t bytes = attnc_gpu_multiply(
        attnc_gpu_multiply(owners, attnc_gpu_add(key_values, query_values)), 8);
    launch.summarize_blocks =
        attnc_gpu_multiply(owners, groups + attnc_gpu_parts(queries, kernel->summarize_threads));
    launch.summaries_offset = attnc_gpu_add(launch.workspace_bytes, 15) / 16 * 16;
    launch.workspace_bytes = attnc_gpu_add(launch.summaries_offset, bytes);
  }
  if (launch.blocks > limit || launch.combine_blocks > limit || launch.summarize_blocks > limit ||
      launch.workspace_bytes == INT64_MAX) {
    const attnc_gpu_launch_t none = {0, -1, 0, 0, 0, 0};
    return none;
  }
  return launch;
}
#endif
)";
}

static void writeStruct(const json::Object &kernel, llvm::raw_ostream &os) {
  StringRef name = getString(kernel, "name"), dtype = getString(kernel, "dtype");
  std::optional<double> scale = kernel.getNumber("scale");
  int64_t headDim = getInteger(kernel, "head_dim"), valueDim = getInteger(kernel, "value_dim");
  if (std::optional<StringRef> products = kernel.getString("products"))
    os << "// Computes products of f32 on tensor cores: " << *products << ".\n";
  os << "// The launch arguments, by value; zero what is not set.\n"
     << formatv("typedef struct {0}_arguments_t {{\n", name)
     << "  int64_t B, Hq, Hkv, Q, KV;\n  attnc_gpu_f32_t scale;  // ";
  if (scale)
    os << llvm::format("must be %.9g, which the program fixes", *scale);
  else
    os << "of the scores";
  os << formatv("\n  attnc_gpu_tensor_t q;   // {0}[B, Hq, Q, {1}]\n", dtype, headDim)
     << formatv("  attnc_gpu_tensor_t k;   // {0}[B, Hkv, KV, {1}]\n", dtype, headDim)
     << formatv("  attnc_gpu_tensor_t v;   // {0}[B, Hkv, KV, {1}]\n", dtype, valueDim)
     << formatv("  attnc_gpu_tensor_t o;   // {0}[B, Hq, Q, {1}], written\n", dtype, valueDim)
     << "  attnc_gpu_tensor_t lse; // "
     << (getBool(kernel, "lse") ? "f32[B, Hq, Q], written" : "not written by this kernel") << "\n";
  writeProgramFields(kernel, {"uint64_t", "attnc_gpu_f32_t"}, os);
  os << formatv("} {0}_arguments_t;\n", name)
     << formatv("ATTNC_STATIC_ASSERT(sizeof({0}_arguments_t) == {1}, \"launch arguments\");\n",
                name, countSlots(kernel) * 8);
}

/// What launching `kernel` takes, as constants.
static void writeConstants(const json::Object &kernel, llvm::raw_ostream &os) {
  StringRef name = getString(kernel, "name");
  os << formatv("static const char {0}_entry[] = \"{0}\";\n", name)
     << formatv("enum {{\n  {0}_query_block = {1},  // rows of q that a block computes\n"
                "  {0}_threads = {2},      // of a block, in one dimension\n"
                "  {0}_shared_bytes = {3} // of dynamic shared memory of a block\n};\n",
                name, getInteger(kernel, "query_block"), getInteger(kernel, "threads"),
                getInteger(kernel, "shared_bytes"));
}

/// The same as an initialiser of attnc_gpu_kernel_t.
static void writeInitialiser(const json::Object &kernel, llvm::raw_ostream &os) {
  StringRef name = getString(kernel, "name");
  os << formatv("{{\"{0}\", {1}, {2}, {3}, ", name, getInteger(kernel, "query_block"),
                getInteger(kernel, "threads"), getInteger(kernel, "shared_bytes"));
  const json::Object *grid = kernel.getObject("short_grid");
  if (grid)
    os << formatv("\"{0}{1}\", \"{0}{2}\", ", name, GpuKernel::shortSuffix,
                  GpuKernel::combineSuffix)
       << formatv("{0}, {1}, {2}, {3}, {4}, {5}, {6}, ", getInteger(*grid, "rows"),
                  getBool(*grid, "packs_heads") ? 1 : 0, getInteger(*grid, "threads"),
                  getInteger(*grid, "shared_bytes"), getInteger(*grid, "combine_threads"),
                  getInteger(*grid, "combine_shared_bytes"),
                  getWorkspaceRowBytes(getInteger(kernel, "value_dim")));
  else
    os << "0, 0, 0, 0, 0, 0, 0, 0, 0, ";
  if (const json::Object *summaries = kernel.getObject("summaries"))
    os << formatv("\"{0}{1}\", {2}, {3}, {4}, {5}, {6}, {7}, {8}}", name,
                  GpuKernel::summarizeSuffix, getInteger(*summaries, "threads"),
                  getInteger(*summaries, "shared_bytes"), getInteger(*summaries, "block"),
                  getInteger(*summaries, "key_values"), getInteger(*summaries, "query_values"),
                  getBool(*summaries, "per_batch") ? 1 : 0,
                  getBool(*summaries, "per_head") ? 1 : 0);
  else
    os << "0, 0, 0, 0, 0, 0, 0, 0}";
}

/// The function that plans launches of the kernel. With one architecture, `isOne`, there is a
/// constant for it to take; with several it takes the one that was chosen.
static void writePlan(const json::Object &kernel, bool isOne, llvm::raw_ostream &os) {
  StringRef name = getString(kernel, "name");
  if (isOne) {
    os << formatv("static const attnc_gpu_kernel_t {0}_kernel = ", name);
    writeInitialiser(kernel, os);
    os << ";\n";
  }
  os << formatv(R"(// How to launch it on a GPU with so many multiprocessors.
static inline attnc_gpu_launch_t {0}_plan({1}const {0}_arguments_t *arguments, int64_t multiprocessors) {{
  return attnc_gpu_plan({2}, arguments->B, arguments->Hq, arguments->Hkv, arguments->Q,
                        arguments->KV, multiprocessors);
}
)",
                name, isOne ? "" : "const attnc_gpu_kernel_t *kernel, ",
                isOne ? ("&" + name + "_kernel").str() : "kernel");
}

static void writeText(StringRef name, StringRef ptx, llvm::raw_ostream &os) {
  os << formatv("static const char {0}_ptx[] = {{", name);
  for (size_t i = 0; i <= ptx.size(); ++i)
    os << (i % 32 ? "," : i ? ",\n" : "\n") << int(i < ptx.size() ? ptx[i] : 0);
  os << "\n};\n";
}

/// The dynamic shared memory of a block of the entry that has the most.
static int64_t getMostSharedBytes(const GpuModule &module) {
  int64_t most = 0;
  for (const json::Value &value : module.metadata) {
    const json::Object &kernel = *value.getAsObject();
    most = std::max(most, getInteger(kernel, "shared_bytes"));
    if (const json::Object *grid = kernel.getObject("short_grid"))
      most = std::max(
          {most, getInteger(*grid, "shared_bytes"), getInteger(*grid, "combine_shared_bytes")});
  }
  return most;
}

/// The code of all architectures, and a function that chooses one.
static void writeCodes(StringRef name, ArrayRef<GpuModule> modules, llvm::raw_ostream &os) {
  os << "\n// The kernels for each architecture; a zero byte ends each text.\n";
  for (const GpuModule &module : modules)
    writeText((name + "_" + module.target.arch).str(), module.ptx, os);
  os << formatv("\n// The kernels for one architecture.\ntypedef struct {0}_code_t {{\n"
                "  const char *arch;\n  const char *ptx; // for cuModuleLoadData\n"
                "  attnc_gpu_kernel_t ",
                name);
  llvm::interleaveComma(modules.front().metadata, os, [&](const json::Value &kernel) {
    os << getString(*kernel.getAsObject(), "name");
  });
  os << formatv(";\n} {0}_code_t;\nstatic const {0}_code_t {0}_codes[] = {{\n", name);
  for (const GpuModule &module : modules) {
    os << formatv("    {{\"{0}\", {1}_{0}_ptx", module.target.arch, name);
    for (const json::Value &kernel : module.metadata) {
      os << ", ";
      writeInitialiser(*kernel.getAsObject(), os);
    }
    os << "},\n";
  }
  os << formatv(R"(};
// The newest of them for a GPU of compute capability `major`.`minor` whose blocks can have
// `shared_bytes` of shared memory (CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN); null if
// there is none.
static inline const {0}_code_t *{0}_select(int major, int minor, int64_t shared_bytes) {{
  const int capability = 10 * major + minor;
)",
                name);
  std::vector<const GpuModule *> newest;
  for (const GpuModule &module : modules)
    newest.push_back(&module);
  llvm::sort(newest, [](const GpuModule *a, const GpuModule *b) {
    return std::pair(a->target.getCapability(), a->target.isSpecific()) >
           std::pair(b->target.getCapability(), b->target.isSpecific());
  });
  for (const GpuModule *module : newest) {
    os << formatv("  if (capability {0} {1} && shared_bytes >= {2})\n    return &{3}_codes[{4}];\n",
                  module->target.isSpecific() ? "==" : ">=", module->target.getCapability(),
                  getMostSharedBytes(*module), name, module - modules.data());
  }
  os << "  return 0;\n}\n";
}

/// The GPUs that some code is for, as text.
static std::string describeGpus(ArrayRef<GpuModule> modules) {
  std::string text;
  for (const GpuModule &module : modules)
    text += (text.empty() ? "" : ", ") + module.target.describeGpus();
  return text;
}

void attnc::writeLaunchHeader(StringRef name, ArrayRef<GpuModule> modules, llvm::raw_ostream &os) {
  std::string guard = "ATTNC_PTX_" + name.upper() + "_H";
  os << formatv(
      "// Kernels of {0} for NVIDIA GPUs, {1}, and how to launch them, for C11 and C++17. "
      "By attnc.\n#ifndef {2}\n#define {2}\n\n#include <stdint.h>\n",
      name, describeGpus(modules), guard);
  writeTypes(os);
  bool isOne = modules.size() == 1;
  for (const json::Value &value : modules.front().metadata) {
    const json::Object &kernel = *value.getAsObject();
    StringRef kernelName = getString(kernel, "name");
    os << "\n// " << kernelName << '\n';
    if (isOne)
      writeConstants(kernel, os);
    writeStruct(kernel, os);
    writePlan(kernel, isOne, os);
  }
  if (isOne) {
    os << "\n// The kernels, for cuModuleLoadData; a zero byte ends the text.\n";
    writeText(name, modules.front().ptx, os);
  } else {
    writeCodes(name, modules, os);
  }
  os << formatv("\n#endif // {0}\n", guard);
}
