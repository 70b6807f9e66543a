//===- MetadataFields.cpp - Members of metadata -----------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/MetadataFields.h"

using namespace attnc;
using llvm::StringRef;
namespace json = llvm::json;

StringRef metadata::getString(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("");
}

int64_t metadata::getInteger(const json::Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

bool metadata::getBool(const json::Object &object, StringRef key) {
  return object.getBoolean(key).value_or(false);
}

std::vector<const json::Object *> metadata::getObjects(const json::Object &object, StringRef key) {
  std::vector<const json::Object *> objects;
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &value : *array)
      if (const json::Object *member = value.getAsObject())
        objects.push_back(member);
  return objects;
}

std::vector<std::string> metadata::getStrings(const json::Object &object, StringRef key) {
  std::vector<std::string> strings;
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &value : *array)
      strings.push_back(value.getAsString().value_or("").str());
  return strings;
}
