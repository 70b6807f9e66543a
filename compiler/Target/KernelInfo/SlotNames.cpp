//===- SlotNames.cpp - Names of launch arguments ----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/SlotNames.h"
#include "llvm/Support/FormatVariadic.h"

using namespace attnc;
using llvm::formatv;
namespace json = llvm::json;

/// Calls `use` for each value of the array `key` of `kernel`.
static void forEach(const json::Object &kernel, llvm::StringRef key,
                    llvm::function_ref<void(const json::Value &)> use) {
  if (const json::Array *array = kernel.getArray(key))
    for (const json::Value &value : *array)
      use(value);
}

/// The member `name` of the object `value`.
static llvm::StringRef getName(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  return object ? object->getString("name").value_or("") : "";
}

std::vector<std::string> attnc::getSlotNames(const json::Object &kernel) {
  std::vector<std::string> names = {"B", "Hq", "Hkv", "Q", "KV", "scale"};
  for (const char *tensor : {"q", "k", "v", "o", "lse"})
    for (const char *member : {"data", "batch_stride", "head_stride", "row_stride"})
      names.push_back(formatv("{0}.{1}", tensor, member));
  forEach(kernel, "extents", [&](const json::Value &extent) {
    names.push_back(formatv("extents.{0}", extent.getAsString().value_or("")));
  });
  forEach(kernel, "captures", [&](const json::Value &capture) {
    names.push_back(formatv("captures.{0}.data", getName(capture)));
    const json::Object *object = capture.getAsObject();
    const json::Array *shape = object ? object->getArray("shape") : nullptr;
    for (const char *member : {"sizes", "strides"})
      for (size_t dim = 0; dim < (shape ? shape->size() : 0); ++dim)
        names.push_back(formatv("captures.{0}.{1}[{2}]", getName(capture), member, dim));
  });
  forEach(kernel, "scalars", [&](const json::Value &scalar) {
    names.push_back(formatv("scalars.{0}", getName(scalar)));
  });
  return names;
}
