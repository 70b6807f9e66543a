//===- FileBytes.cpp - The bytes of a file --------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/FileBytes.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace attnc;
using namespace attnc::api;

FileBytes::~FileBytes() {
  if (mapping)
    munmap(mapping, mappedBytes);
}

Result FileBytes::open(const char *path) {
  auto unreadable = [path] {
    return Failure{ATTNC_UNAVAILABLE, std::string(path) + ": cannot read: " + std::strerror(errno)};
  };
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path, "rb"), std::fclose);
  if (!file)
    return unreadable();
  struct stat status = {};
  if (fstat(fileno(file.get()), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    void *address = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE,
                         fileno(file.get()), 0);
    if (address != MAP_FAILED) {
      mapping = address;
      mappedBytes = static_cast<size_t>(status.st_size);
      return std::nullopt;
    }
  }
  constexpr size_t blockBytes = 1 << 16;
  for (size_t length = 0, got = 0;; length += got) {
    copy.resize(length + blockBytes);
    errno = 0;
    got = std::fread(copy.data() + length, 1, blockBytes, file.get());
    if (std::ferror(file.get()))
      return unreadable();
    if (got < blockBytes) {
      copy.resize(length + got);
      return std::nullopt;
    }
  }
}
