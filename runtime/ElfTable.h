//===- ElfTable.h - Tables of ELF files that nobody vouches for -*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_ELFTABLE_H
#define RUNTIME_ELFTABLE_H

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <vector>

namespace attnc {

/// The `count` values of type T at `offset` of the file, or nothing if they are not inside.
template <typename T>
std::optional<std::vector<T>> readElfTable(std::string_view bytes, uint64_t offset,
                                           uint64_t count) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T))
    return std::nullopt;
  std::vector<T> values(count);
  if (count > 0)
    std::memcpy(values.data(), bytes.data() + offset, count * sizeof(T));
  return values;
}

/// The header of an ELF file of 64 bits, or nothing if `bytes` do not begin with one.
inline std::optional<Elf64_Ehdr> readElfHeader(std::string_view bytes) {
  auto header = readElfTable<Elf64_Ehdr>(bytes, 0, 1);
  if (!header || std::memcmp(header->front().e_ident, ELFMAG, SELFMAG) != 0 ||
      header->front().e_ident[EI_CLASS] != ELFCLASS64)
    return std::nullopt;
  return header->front();
}

} // namespace attnc

#endif // RUNTIME_ELFTABLE_H
