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
#include <fcntl.h>
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
  // Whoever writes to a pipe must not be waited for.
  int descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return unreadable();
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(fdopen(descriptor, "rb"), std::fclose);
  struct stat status = {};
  if (!file || fstat(descriptor, &status) != 0)
    return unreadable();
  // A pipe or a device may have no end.
  if (!S_ISREG(status.st_mode))
    return Failure{ATTNC_UNAVAILABLE, std::string(path) + ": expected a regular file"};
  if (status.st_size > 0) {
    void *address =
        mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
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
