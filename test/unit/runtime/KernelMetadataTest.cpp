//===- KernelMetadataTest.cpp - Tests of reading metadata -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/KernelMetadata.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {
const std::string common = R"("version":1,"name":"packed_bf16_d64","dtype":"bf16","head_dim":64,
"value_dim":32,"scale":0.125,"lse":true,"checked":false,"extents":["N"],
"captures":[{"name":"doc","type":"i32","shape":["B","Q + KV - 1"]},{"name":"t","type":"f16","shape":["N"]}],
"scalars":[{"name":"cap","type":"f32"}],"requirements":[{"capture":"t","dim":0,"index":-3}],
"tensors":[{"name":"q","type":"bf16","layout":"strided"},{"name":"lse","type":"f32","layout":"strided"}])";
const std::string host =
    "{" + common + R"(,"cpu":"x86-64","features":[],"query_block":64,"scratch_bytes":128})";
const std::string gpu = "{" + common + R"(,"arch":"sm_80","query_block":64,"threads":128,
"shared_bytes":49152,"short_grid":{"rows":16,"packs_heads":true,"threads":64,"shared_bytes":1024,
"combine_threads":32,"combine_shared_bytes":8},
"summaries":{"block":16,"threads":64,"shared_bytes":512,"key_values":4,"query_values":2,"per_batch":true,"per_head":false}})";

/// `text` with the first `from` replaced.
std::string replace(std::string text, const std::string &from, const std::string &to) {
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

std::string readHost(const std::string &text) {
  HostKernel kernel;
  CodeNeeds needs;
  return readHostMetadata(text, kernel, needs).value_or("");
}
} // namespace

TEST(KernelMetadata, HostKernel) {
  HostKernel kernel;
  CodeNeeds needs;
  ASSERT_EQ(readHostMetadata(host, kernel, needs), std::nullopt);
  const KernelInfo &info = kernel.info;
  EXPECT_EQ(info.name, "packed_bf16_d64");
  EXPECT_EQ(info.dtype, ElementType::BF16);
  EXPECT_EQ(info.headDim, 64);
  EXPECT_EQ(info.valueDim, 32);
  EXPECT_EQ(info.scale, 0.125f);
  EXPECT_TRUE(info.lse);
  EXPECT_FALSE(info.checked);
  EXPECT_EQ(info.extents, std::vector<std::string>{"N"});
  ASSERT_EQ(info.captures.size(), 2u);
  EXPECT_EQ(info.captures[0].type, ElementType::I32);
  EXPECT_EQ(info.captures[0].shape[1].print(), "Q + KV - 1");
  ASSERT_EQ(info.scalars.size(), 1u);
  EXPECT_EQ(info.scalars[0].name, "cap");
  ASSERT_EQ(info.requirements.size(), 1u);
  EXPECT_EQ(info.requirements[0].index, -3);
  EXPECT_EQ(kernel.queryBlock, 64);
  EXPECT_EQ(kernel.scratchBytes, 128);
}

TEST(KernelMetadata, ProductsOfGpuKernel) {
  GpuKernel kernel;
  std::string arch, tf32 = replace(gpu, R"("threads":128)", R"("products":"tf32x3","threads":128)");
  ASSERT_EQ(readGpuMetadata(tf32, kernel, arch), std::nullopt);
  EXPECT_EQ(kernel.products, "tf32x3");
  ASSERT_EQ(readGpuMetadata(gpu, kernel, arch), std::nullopt);
  EXPECT_EQ(kernel.products, "");
  EXPECT_NE(readGpuMetadata(replace(tf32, R"("tf32x3")", "3"), kernel, arch), std::nullopt);
}

TEST(KernelMetadata, GpuKernel) {
  GpuKernel kernel;
  std::string arch;
  ASSERT_EQ(readGpuMetadata(gpu, kernel, arch), std::nullopt);
  EXPECT_EQ(arch, "sm_80");
  EXPECT_EQ(kernel.threads, 128);
  EXPECT_EQ(kernel.sharedBytes, 49152);
  EXPECT_EQ(kernel.products, "");
  ASSERT_TRUE(kernel.shortGrid);
  EXPECT_EQ(kernel.shortGrid->rows, 16);
  EXPECT_TRUE(kernel.shortGrid->packsHeads);
  EXPECT_EQ(kernel.shortGrid->combineThreads, 32);
  ASSERT_TRUE(kernel.summaries);
  EXPECT_EQ(kernel.summaries->blockSize, 16);
  EXPECT_EQ(kernel.summaries->threads, 64);
  EXPECT_EQ(kernel.summaries->sharedBytes, 512);
  EXPECT_EQ(kernel.summaries->keyValues, 4);
  EXPECT_EQ(kernel.summaries->queryValues, 2);
  EXPECT_TRUE(kernel.summaries->perBatch);
  EXPECT_FALSE(kernel.summaries->perHead);
}

// Keys that come later, and a scale that is an argument.
TEST(KernelMetadata, WhatIsUnknownIsPassedOver) {
  HostKernel kernel;
  std::string text = replace(replace(host, "0.125", "null"), "{", R"({"later":[1,{"x":2}],)");
  CodeNeeds needs;
  ASSERT_EQ(readHostMetadata(text, kernel, needs), std::nullopt);
  EXPECT_EQ(kernel.info.scale, std::nullopt);
}

TEST(KernelMetadata, WhatIsWrongIsNamed) {
  EXPECT_EQ(readHost("{"), "expected JSON");
  EXPECT_EQ(readHost("[]"), "expected an object");
  EXPECT_EQ(readHost("{}"), "expected a member `version`");
  const struct {
    const char *from, *to, *message;
  } cases[] = {
      {"\"version\":1", "\"version\":2",
       "expected metadata of version 1, got 2, which needs a later runtime"},
      {"\"version\":1", "\"version\":\"1\"",
       "`version`: expected an integer from 1 to 9223372036854775807, got \"1\""},
      {"\"name\":\"packed_bf16_d64\"", "\"name\":7", "`name`: expected a text, got 7"},
      {"\"name\":\"packed_bf16_d64\"", "\"name\":\"\"", "`name`: expected a text, got \"\""},
      {"\"dtype\":\"bf16\"", "\"dtype\":\"fp8\"", "`dtype`: expected an element type, got `fp8`"},
      {"\"dtype\":\"bf16\"", "\"dtype\":\"i32\"", "`dtype`: expected a float type, got i32"},
      {"\"head_dim\":64", "\"head_dim\":0",
       "`head_dim`: expected an integer from 1 to 2147483647, got 0"},
      {"\"head_dim\":64", "\"head_dim\":18446744073709551615",
       "`head_dim`: expected an integer from 1 to 2147483647, got 18446744073709551615"},
      {"\"head_dim\":64", "\"head_dim\":1.5",
       "`head_dim`: expected an integer from 1 to 2147483647, got 1.5"},
      {"\"scale\":0.125", "\"scale\":\"x\"", "`scale`: expected a number or null, got \"x\""},
      {"\"lse\":true", "\"lse\":1", "`lse`: expected true or false, got 1"},
      {"\"extents\":[\"N\"]", "\"extents\":[0]", "expected a name, got 0"},
      {"\"extents\":[\"N\"]", "\"extents\":{}", "`extents`: expected an array, got {}"},
      {"\"extents\":[\"N\"]", "\"extents\":[\"doc\"]", "`doc` is declared twice"},
      {"Q + KV - 1", "Q +", "`doc`: expected a size, got `Q +`"},
      {"\"shape\":[\"N\"]", R"("shape":["1","1","1","1","1","1","1"])",
       "`t`: expected at most 6 dimensions, got 7"},
      {"\"capture\":\"t\"", "\"capture\":\"u\"", "`requirements`: there is no captured tensor `u`"},
      {"\"dim\":0", "\"dim\":1", "`dim`: expected an integer from 0 to 0, got 1"},
      {"\"layout\":\"strided\"", "\"layout\":\"paged\"",
       "`q` has the layout `paged`, which needs a later runtime"},
      {"{\"name\":\"q\",\"type\":\"bf16\"", "{\"name\":\"q\",\"type\":\"i8\"",
       "`q` has elements of i8 beside bf16, which needs a later runtime"},
      {"\"query_block\":64", "\"query_block\":0",
       "`query_block`: expected an integer from 1 to 2147483647, got 0"},
      {"\"features\":[]", "\"features\":[1]", "expected a name, got 1"},
      {"\"features\":[]", "\"features\":[],\"symbol_suffix\":7",
       "`symbol_suffix`: expected a text, got 7"},
  };
  for (const auto &test : cases)
    EXPECT_EQ(readHost(replace(host, test.from, test.to)), test.message) << test.to;
}

TEST(KernelMetadata, WhatCodeNeeds) {
  HostKernel kernel;
  CodeNeeds needs;
  std::string text = replace(host, "\"features\":[]",
                             "\"features\":[\"never-heard-of\",\"z9\"],\"symbol_suffix\":\"_v3\"");
  ASSERT_EQ(readHostMetadata(text, kernel, needs), std::nullopt);
  EXPECT_EQ(needs.symbolSuffix, "_v3");
  EXPECT_EQ(needs.check(),
            "this machine cannot run code for the CPU `x86-64`: it lacks never-heard-of, z9");
  needs.features.clear();
  EXPECT_EQ(needs.check(), std::nullopt);
}

// As deep as it may be, and as deep as fits a file.
TEST(KernelMetadata, DepthIsBounded) {
  auto nest = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  for (size_t depth : {65, 1000000}) {
    const std::string message = "expected values in at most 64 objects and arrays";
    EXPECT_EQ(readHost(replace(host, "true", nest(depth))), message);
    EXPECT_EQ(readHost(replace(host, "{", "{\"later\":" + nest(depth) + ",")), message);
  }
  EXPECT_EQ(readHost(replace(host, "true", nest(64))),
            "`lse`: expected true or false, got " + nest(64));
  EXPECT_EQ(readHost(replace(host, "{", "{\"later\":" + nest(64) + ",")), "");
}

TEST(KernelMetadata, Planner) {
  const std::string planner =
      R"("planner":{"closed_form":1,"key_block":96,"key_values":2,"mask":77,"per_batch":1,)"
      R"("per_head":0,"query_values":4,"scalars":[0],"shared_summaries":0},"query_block":64)";
  std::string text = replace(host, "\"query_block\":64", planner);
  HostKernel kernel;
  CodeNeeds needs;
  ASSERT_EQ(readHostMetadata(text, kernel, needs), std::nullopt);
  EXPECT_TRUE(kernel.planner.closedForm && kernel.planner.perBatch && !kernel.planner.perHead);
  EXPECT_EQ(kernel.planner.keyBlock, 96);
  EXPECT_EQ(kernel.planner.keyValues, 2);
  EXPECT_EQ(kernel.planner.queryValues, 4);
  EXPECT_EQ(kernel.planner.mask, 77u);
  EXPECT_EQ(kernel.planner.scalars, std::vector<int64_t>{0});
  EXPECT_EQ(readHost(replace(text, "\"scalars\":[0]", "\"scalars\":[1]")),
            "expected the places of scalars as `scalars`");
  EXPECT_EQ(readHost(replace(text, "\"mask\":77", "\"mask\":0")),
            "`mask`: expected an integer from 1 to 9223372036854775807, got 0");
}

// Whatever byte of it is lost or another, reading ends with a message or a kernel.
TEST(KernelMetadata, AnyTextIsSafe) {
  for (const std::string &text : {host, gpu})
    for (size_t i = 0; i < text.size(); ++i) {
      std::string cut = text.substr(0, i), other = text;
      other[i] = static_cast<char>(other[i] ^ 0x15);
      for (const std::string &bad : {cut, other}) {
        HostKernel kernel;
        GpuKernel gpuKernel;
        std::string arch;
        CodeNeeds needs;
        readHostMetadata(bad, kernel, needs);
        readGpuMetadata(bad, gpuKernel, arch);
      }
      EXPECT_NE(readHost(cut), "");
    }
}
