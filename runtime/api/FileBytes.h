//===- FileBytes.h - The bytes of a file ------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_FILEBYTES_H
#define RUNTIME_API_FILEBYTES_H

#include "runtime/api/Failure.h"
#include <string_view>

namespace attnc::api {

/// The bytes of a regular file while it is read. It is mapped, so that what is not looked at is not
/// read; one that cannot be mapped is copied.
class FileBytes {
public:
  FileBytes() = default;
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  ~FileBytes();

  Result open(const char *path);
  std::string_view get() const {
    return mapping ? std::string_view(static_cast<const char *>(mapping), mappedBytes) : copy;
  }

private:
  void *mapping = nullptr;
  size_t mappedBytes = 0;
  std::string copy;
};

} // namespace attnc::api

#endif // RUNTIME_API_FILEBYTES_H
