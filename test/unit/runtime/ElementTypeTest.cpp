//===- ElementTypeTest.cpp - Tests of element types and conversions ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/ElementType.h"
#include "attnc/TensorView.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace attnc;

TEST(ElementType, NamesParseBack) {
  for (ElementType type :
       {ElementType::F32, ElementType::F16, ElementType::BF16, ElementType::I8, ElementType::U8,
        ElementType::I16, ElementType::I32, ElementType::I64, ElementType::Bool})
    EXPECT_EQ(parseElementType(getName(type)), type);
  EXPECT_EQ(parseElementType("f64"), std::nullopt);
  EXPECT_EQ(parseElementType(""), std::nullopt);
  EXPECT_EQ(getSize(ElementType::BF16), 2);
  EXPECT_EQ(getSize(ElementType::Bool), 1);
}

// Every f16 and bf16 goes to f32 and back unchanged; NaN stays NaN.
TEST(ElementType, HalvesConvertBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float f16 = convertF16ToFloat(bits), bf16 = convertBF16ToFloat(bits);
    if (std::isnan(f16))
      EXPECT_TRUE(std::isnan(convertF16ToFloat(convertFloatToF16(f16))));
    else
      ASSERT_EQ(convertFloatToF16(f16), bits);
    if (std::isnan(bf16))
      EXPECT_TRUE(std::isnan(convertBF16ToFloat(convertFloatToBF16(bf16))));
    else
      ASSERT_EQ(convertFloatToBF16(bf16), bits);
  }
}

// Halfway between two neighbours the even one wins; a little more or less decides otherwise.
TEST(ElementType, RoundsToNearestEven) {
  for (uint32_t bits = 0; bits < 0x7bff; ++bits) {
    double low = convertF16ToFloat(bits), high = convertF16ToFloat(bits + 1);
    float middle = static_cast<float>((low + high) / 2);
    ASSERT_EQ(convertFloatToF16(middle), bits + (bits & 1)) << low;
    ASSERT_EQ(convertFloatToF16(std::nextafter(middle, 0.f)), bits) << low;
    ASSERT_EQ(convertFloatToF16(std::nextafter(middle, 1e9f)), bits + 1) << low;
    ASSERT_EQ(convertFloatToF16(-middle), 0x8000 | (bits + (bits & 1))) << low;
  }
  EXPECT_EQ(convertFloatToF16(65519.f), 0x7bff);
  EXPECT_EQ(convertFloatToF16(65520.f), 0x7c00);
  EXPECT_EQ(convertFloatToF16(1e30f), 0x7c00);
  EXPECT_EQ(convertFloatToBF16(1.00390625f), 0x3f80);
  EXPECT_EQ(convertFloatToBF16(1.01171875f), 0x3f82);
  EXPECT_EQ(convertFloatToBF16(3.4e38f), 0x7f80);
  EXPECT_EQ(convertFloatToBF16(-INFINITY), 0xff80);
}

TEST(TensorView, ContiguousStrides) {
  EXPECT_EQ(getContiguousStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(getContiguousStrides({}), std::vector<int64_t>{});
  EXPECT_EQ(getContiguousStrides({5, 0}), (std::vector<int64_t>{0, 1}));
}
