//===- Structs.h - Structs of the C ABI -------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_STRUCTS_H
#define RUNTIME_API_STRUCTS_H

#include "runtime/api/Failure.h"
#include <cstddef>
#include <cstring>

namespace attnc::api {

/// An error if `pointer`, which a call writes to or reads, is NULL.
template <typename T> Result checkPointer(const char *name, const T *pointer) {
  if (pointer)
    return std::nullopt;
  return invalidArgument("`" + std::string(name) + "`: expected a pointer, got NULL");
}

/// No struct of any version is larger.
inline constexpr size_t maxStructBytes = 4096;

/// The bytes of a struct in the first header of this version, which lacks what was added since.
template <typename StructT> inline constexpr size_t firstBytes = sizeof(StructT);
template <> inline constexpr size_t firstBytes<attnc_source_t> = offsetof(attnc_source_t, products);

/// Copies a struct that the caller has filled; NULL stands for the defaults. What an earlier header
/// lacks is 0, and what a later version has added must be.
template <typename StructT>
Result readStruct(const char *name, const StructT *given, StructT &result) {
  result = {};
  if (!given)
    return std::nullopt;
  if (given->struct_size < firstBytes<StructT>)
    return invalidArgument("`" + std::string(name) + "`: expected a struct_size of at least " +
                           std::to_string(firstBytes<StructT>) + ", got " +
                           std::to_string(given->struct_size));
  if (given->struct_size < sizeof(StructT)) {
    std::memcpy(&result, given, firstBytes<StructT>);
    result.struct_size = sizeof(StructT);
    return std::nullopt;
  }
  if (given->struct_size > maxStructBytes)
    return invalidArgument("`" + std::string(name) + "`: expected a struct_size of at most " +
                           std::to_string(maxStructBytes) + ", got " +
                           std::to_string(given->struct_size));
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(StructT); i < given->struct_size; ++i)
    if (bytes[i] != 0)
      return invalidArgument("`" + std::string(name) + "`: has members that need version " +
                             std::to_string(ATTNC_ABI_VERSION + 1) + " of the library or later");
  result = *given;
  return std::nullopt;
}

/// Fills a struct of the caller, whose struct_size is set.
template <typename StructT>
Result writeStruct(const char *name, const StructT &value, StructT *result) {
  if (Result failure = checkPointer(name, result))
    return failure;
  size_t size = result->struct_size;
  if (size < sizeof(StructT))
    return invalidArgument("`" + std::string(name) + "`: expected a struct_size of at least " +
                           std::to_string(sizeof(StructT)) + ", got " + std::to_string(size));
  *result = value;
  result->struct_size = size;
  return std::nullopt;
}

} // namespace attnc::api

#endif // RUNTIME_API_STRUCTS_H
