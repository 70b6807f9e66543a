//===- LaunchTest.cpp - Tests of the checks of launch arguments -------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/Launch.h"
#include "attnc/ArgumentLayout.h"
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

using namespace attnc;
using Kind = SizeExpr::Kind;

namespace {
/// q [2, 6, 5, 8], k [2, 3, 7, 8], v [2, 3, 7, 4] and captures of every kind, all right; each test
/// spoils one thing.
class Launch : public testing::Test {
protected:
  Launch() {
    info.name = "test";
    info.dtype = ElementType::F32;
    info.headDim = 8;
    info.valueDim = 4;
    info.scale = 0.5f;
    info.extents = {"N", "M"};
    SizeExpr n = SizeExpr::symbol("N");
    SizeExpr diagonals({{Kind::Symbol, 0, "Q"},
                        {Kind::Symbol, 0, "KV"},
                        {Kind::Add, 0, {}},
                        {Kind::Constant, -1, {}},
                        {Kind::Add, 0, {}}});
    SizeExpr more({{Kind::Symbol, 0, "M"}, {Kind::Constant, 1, {}}, {Kind::Add, 0, {}}});
    info.captures = {{"slopes", ElementType::BF16, {SizeExpr::symbol("Hq")}},
                     {"rel", ElementType::F32, {n, diagonals}},
                     {"edges", ElementType::I32, {more}},
                     {"offset", ElementType::I64, {}}};
    info.scalars = {{"cap", ElementType::F32},
                    {"window", ElementType::I8},
                    {"flag", ElementType::Bool},
                    {"bias", ElementType::F16}};
    info.requirements = {{"rel", 0, -2}};

    arguments.q = make(ElementType::F32, {2, 6, 5, 8});
    arguments.k = make(ElementType::F32, {2, 3, 7, 8});
    arguments.v = make(ElementType::F32, {2, 3, 7, 4});
    arguments.o = make(ElementType::F32, {2, 6, 5, 4});
    arguments.captures = {{"slopes", make(ElementType::BF16, {6})},
                          {"rel", make(ElementType::F32, {2, 11})},
                          {"edges", make(ElementType::I32, {10})},
                          {"offset", make(ElementType::I64, {})}};
    arguments.scalars = {
        {"cap", 30.0}, {"window", int64_t(-128)}, {"flag", true}, {"bias", int64_t(3)}};
  }

  TensorView make(ElementType type, std::vector<int64_t> sizes) {
    return {storage, type, sizes, getContiguousStrides(sizes)};
  }

  std::string bind() { return bindArguments(info, arguments, bound).value_or(""); }

  KernelInfo info;
  LaunchArguments arguments;
  BoundArguments bound;
  alignas(64) char storage[16384];
};

float getFloat(int64_t slot) {
  uint32_t bits = static_cast<uint32_t>(slot);
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
} // namespace

TEST_F(Launch, FillsTheSlots) {
  ASSERT_EQ(bind(), "");
  EXPECT_EQ(bound.B, 2);
  EXPECT_EQ(bound.Hq, 6);
  EXPECT_EQ(bound.Hkv, 3);
  EXPECT_EQ(bound.Q, 5);
  EXPECT_EQ(bound.KV, 7);
  EXPECT_EQ(bound.extents, (std::vector<int64_t>{2, 9}));
  ArgumentLayout layout(info);
  auto slot = [&](int64_t i) { return bound.slots.at(i); };
  EXPECT_EQ(static_cast<int64_t>(bound.slots.size()), layout.getNumSlots());
  EXPECT_EQ(slot(ArgumentLayout::KV), 7);
  EXPECT_EQ(getFloat(slot(ArgumentLayout::Scale)), 0.5f);
  EXPECT_EQ(slot(ArgumentLayout::QTensor), reinterpret_cast<intptr_t>(storage));
  EXPECT_EQ(slot(ArgumentLayout::KTensor + ArgumentLayout::BatchStride), 3 * 7 * 8);
  EXPECT_EQ(slot(ArgumentLayout::OTensor + ArgumentLayout::RowStride), 4);
  EXPECT_EQ(slot(ArgumentLayout::LseTensor), 0);
  EXPECT_EQ(slot(layout.getExtent(1)), 9);
  EXPECT_EQ(slot(layout.getCaptureSize(1, 1)), 11);
  EXPECT_EQ(slot(layout.getCaptureStride(1, 0)), 11);
  EXPECT_EQ(getFloat(slot(layout.getScalar(0))), 30.f);
  EXPECT_EQ(slot(layout.getScalar(1)), -128);
  EXPECT_EQ(slot(layout.getScalar(2)), 1);
  EXPECT_EQ(getFloat(slot(layout.getScalar(3))), 3.f);
}

TEST_F(Launch, BindsLse) {
  info.lse = true;
  EXPECT_EQ(bind(), "`lse`: expected a tensor, as the kernel writes the log-sum-exp, got none");
  arguments.lse = make(ElementType::F32, {2, 6, 5});
  ASSERT_EQ(bind(), "");
  EXPECT_EQ(bound.slots[ArgumentLayout::LseTensor + ArgumentLayout::RowStride], 1);
  arguments.lse->type = ElementType::BF16;
  EXPECT_EQ(bind(), "`lse`: expected elements of f32, got bf16");
  arguments.lse = make(ElementType::F32, {2, 6, 4});
  EXPECT_EQ(bind(), "`lse`: expected size `Q` = 5 of `q` for dimension 2, got 4");
  info.lse = false;
  EXPECT_EQ(bind(), "`lse`: expected no tensor, as the kernel was compiled without lse, got one");
}

// Lengths of 0 and strides of 0 of what is read are legal, and nothing is indexed without pairs.
TEST_F(Launch, TakesEmptyAndBroadcastTensors) {
  arguments.k = {nullptr, ElementType::F32, {2, 3, 0, 8}, {0, 0, 8, 1}};
  arguments.v = {nullptr, ElementType::F32, {2, 3, 0, 4}, {0, 0, 4, 1}};
  arguments.captures["rel"] = {nullptr, ElementType::F32, {0, 4}, {4, 1}};
  arguments.captures["slopes"].strides = {0};
  EXPECT_EQ(bind(), "");
  EXPECT_EQ(bound.KV, 0);
  for (TensorView *view : {&arguments.q, &arguments.k, &arguments.v, &arguments.o})
    view->sizes[1] = 0;
  arguments.captures["slopes"].sizes = {0};
  EXPECT_EQ(bind(), "");
  // Without rows the strides of a dense o are 0 too.
  arguments.o.strides = getContiguousStrides(arguments.o.sizes);
  EXPECT_EQ(bind(), "");
}

// A dimension of one element may have any stride.
TEST_F(Launch, IgnoresTheStrideOfOneElement) {
  info.valueDim = 1;
  arguments.v = {storage, ElementType::F32, {2, 3, 7, 1}, {21, 7, 1, 9}};
  arguments.o = {storage, ElementType::F32, {2, 6, 5, 1}, {30, 5, 1, 9}};
  EXPECT_EQ(bind(), "");
}

TEST_F(Launch, RefusesWrongTensors) {
  struct Case {
    std::function<void(LaunchArguments &)> spoil;
    const char *message;
  };
  const Case cases[] = {
      {[](auto &a) { a.k.sizes.pop_back(); },
       "`k`: expected 4 dimensions [B, Hkv, KV, 8], got 3 of sizes [2, 3, 7]"},
      {[](auto &a) { a.k.strides.pop_back(); },
       "`k`: expected one stride a dimension, got 3 strides for 4 dimensions"},
      {[](auto &a) { a.v.type = ElementType::F16; }, "`v`: expected elements of f32, got f16"},
      {[](auto &a) { a.q.sizes[3] = 16; }, "`q`: expected size 8 for dimension 3, got 16"},
      {[](auto &a) { a.v.sizes[2] = 6; },
       "`v`: expected size `KV` = 7 of `k` for dimension 2, got 6"},
      {[](auto &a) { a.v.sizes[1] = 1; },
       "`v`: expected size `Hkv` = 3 of `k` for dimension 1, got 1"},
      {[](auto &a) { a.k.sizes[0] = 3; },
       "`k`: expected size `B` = 2 of `q` for dimension 0, got 3"},
      {[](auto &a) { a.o.sizes[2] = 4; },
       "`o`: expected size `Q` = 5 of `q` for dimension 2, got 4"},
      {[](auto &a) { a.k.sizes[1] = a.v.sizes[1] = 4; },
       "`q`: expected a number of heads that is a multiple of the 4 heads of `k`, got 6"},
      {[](auto &a) { a.k.sizes[1] = a.v.sizes[1] = 0; },
       "`q`: expected a number of heads that is a multiple of the 0 heads of `k`, got 6"},
      {[](auto &a) { a.q.strides[3] = 2; },
       "`q`: expected a stride of 1 of the last dimension, got 2"},
      {[](auto &a) { a.q.strides[2] = -8; },
       "`q`: expected a stride of at least 0 of dimension 2, got -8"},
      {[](auto &a) { a.q.sizes[2] = -1; },
       "`q`: expected a size from 0 to 2147483647 of dimension 2, got -1"},
      {[](auto &a) { a.q.sizes[2] = int64_t(1) << 31; },
       "`q`: expected a size from 0 to 2147483647 of dimension 2, got 2147483648"},
      {[](auto &a) { a.o.strides[2] = 0; },
       "`o`: expected a stride of at least 1 of dimension 2 as the tensor is written, got 0"},
      {[](auto &a) { a.o.strides[2] = a.o.sizes[3] - 1; },
       "`o`: expected strides that keep elements apart as the tensor is written, got sizes "
       "[2, 6, 5, 4] with strides [120, 20, 3, 1]"},
      {[](auto &a) { a.q.data = nullptr; }, "`q`: expected a pointer to 1920 bytes, got null"},
      {[](auto &a) { a.q.data = static_cast<char *>(a.q.data) + 2; },
       "`q`: expected data aligned to 4 bytes, got an address 2 past that"},
      {[](auto &a) {
         a.q.sizes = {2147483647, 2147483647, 2147483647, 8};
         a.q.strides = {0, 0, 0, 1};
       },
       "`q`: expected fewer than 2^63 elements, got sizes [2147483647, 2147483647, 2147483647, 8]"},
      {[](auto &a) { a.q.strides[0] = std::numeric_limits<int64_t>::max(); },
       "`q`: expected elements within 2^63 bytes, got sizes [2, 6, 5, 8] with strides "
       "[9223372036854775807, 40, 8, 1]"},
  };
  for (const Case &test : cases) {
    LaunchArguments saved = arguments;
    test.spoil(arguments);
    EXPECT_EQ(bind(), test.message);
    arguments = saved;
  }
}

TEST_F(Launch, RefusesWrongCaptures) {
  TensorView slopes = arguments.captures["slopes"];
  arguments.captures.erase("slopes");
  EXPECT_EQ(bind(), "`slopes`: expected a captured tensor of bf16[Hq], got none");
  arguments.captures["slope"] = slopes;
  EXPECT_EQ(bind(), "`slope`: the kernel captures no tensor of this name, did you mean `slopes`?");
  arguments.captures.erase("slope");
  arguments.captures["slopes"] = make(ElementType::F32, {6});
  EXPECT_EQ(bind(), "`slopes`: expected elements of bf16, got f32");
  arguments.captures["slopes"] = make(ElementType::BF16, {3});
  EXPECT_EQ(bind(), "`slopes`: expected size `Hq` = 6 of `q` for dimension 0, got 3");
  arguments.captures["slopes"] = make(ElementType::BF16, {6, 1});
  EXPECT_EQ(bind(), "`slopes`: expected 1 dimensions [Hq], got 2 of sizes [6, 1]");
}

TEST_F(Launch, RefusesShapesThatDisagree) {
  arguments.captures["rel"] = make(ElementType::F32, {2, 12});
  EXPECT_EQ(bind(), "`rel`: expected size `Q + KV - 1` = 11 for dimension 1, got 12");
  arguments.captures["rel"] = make(ElementType::F32, {2, 11});
  info.captures[3].shape = {SizeExpr::symbol("N")};
  arguments.captures["offset"] = make(ElementType::I64, {3});
  EXPECT_EQ(bind(), "`offset`: expected size `N` = 2 of `rel` for dimension 0, got 3");
}

TEST_F(Launch, RefusesExtentsThatDoNotFollow) {
  arguments.captures["edges"] = make(ElementType::I32, {0});
  EXPECT_EQ(bind(), "`edges`: expected size `M + 1` for dimension 0 with `M` of at least 0, got 0");
  info.captures[2].shape = {
      SizeExpr({{Kind::Symbol, 0, "M"}, {Kind::Constant, 2, {}}, {Kind::FloorDiv, 0, {}}})};
  EXPECT_EQ(bind(), "`edges`: expected size `M // 2` for dimension 0, got 0, from which `M` does "
                    "not follow");
}

// An extent may be known from a tensor that comes later.
TEST_F(Launch, SolvesExtentsInAnyOrder) {
  info.captures[1].shape[0] =
      SizeExpr({{Kind::Symbol, 0, "N"}, {Kind::Symbol, 0, "M"}, {Kind::Add, 0, {}}});
  arguments.captures["rel"] = make(ElementType::F32, {12, 11});
  ASSERT_EQ(bind(), "");
  EXPECT_EQ(bound.extents, (std::vector<int64_t>{3, 9}));
}

TEST_F(Launch, RefusesConstantIndicesOutside) {
  for (int64_t index : {-3, 2}) {
    info.requirements = {{"rel", 0, index}};
    EXPECT_EQ(bind(), "`rel`: expected a size that holds the constant index " +
                          std::to_string(index) + " for dimension 0, got 2");
  }
}

TEST_F(Launch, RefusesWrongScalars) {
  struct Case {
    const char *name;
    ScalarValue value;
    const char *message;
  };
  const Case cases[] = {
      {"window", int64_t(128), "`window`: expected an integer from -128 to 127, got 128"},
      {"window", 1.5, "`window`: expected an integer of type i8, got 1.500000"},
      {"window", true, "`window`: expected a number of type i8, got a bool"},
      {"flag", int64_t(1), "`flag`: expected a bool, got a number"},
      {"bias", 65520.0, "`bias`: expected a value in the range of f16, got 65520.000000"},
      {"windo", int64_t(1),
       "`windo`: the kernel has no scalar argument of this name, did you mean `window`?"},
  };
  for (const Case &test : cases) {
    auto saved = arguments.scalars;
    arguments.scalars[test.name] = test.value;
    EXPECT_EQ(bind(), test.message);
    arguments.scalars = saved;
  }
  arguments.scalars.erase("cap");
  EXPECT_EQ(bind(), "`cap`: expected a value of type f32, got none");
  arguments.scalars["cap"] = -INFINITY;
  EXPECT_EQ(bind(), "");
}

TEST_F(Launch, RefusesWrongScales) {
  arguments.scale = 1.f;
  EXPECT_EQ(bind(), "`scale`: expected no value, as the kernel fixes it to 0.500000, got 1.000000");
  info.scale.reset();
  EXPECT_EQ(bind(), "");
  arguments.scale = -2.f;
  ASSERT_EQ(bind(), "");
  EXPECT_EQ(getFloat(bound.slots[ArgumentLayout::Scale]), -2.f);
  arguments.scale = NAN;
  EXPECT_EQ(bind(), "`scale`: expected a finite value, got nan");
  arguments.scale.reset();
  EXPECT_EQ(bind(), "`scale`: expected a value, as the kernel takes it as an argument, got none");
}

// A failed check leaves what was bound before alone.
TEST_F(Launch, KeepsTheBoundArgumentsOnErrors) {
  ASSERT_EQ(bind(), "");
  std::vector<int64_t> slots = bound.slots;
  arguments.scalars.clear();
  EXPECT_NE(bind(), "");
  EXPECT_EQ(bound.slots, slots);
}

TEST(Span, CountsBytes) {
  EXPECT_EQ(getSpan({nullptr, ElementType::BF16, {2, 3}, {10, 1}}), 26);
  EXPECT_EQ(getSpan({nullptr, ElementType::BF16, {2, 0}, {10, 1}}), 0);
  EXPECT_EQ(getSpan({nullptr, ElementType::I64, {}, {}}), 8);
}
