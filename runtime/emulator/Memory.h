//===- Memory.h - Global memory of the device -------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_EMULATOR_MEMORY_H
#define RUNTIME_EMULATOR_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace attnc::emu {

/// Pages reserved from the system, zero and unbacked until touched.
class SparsePages {
public:
  SparsePages() = default;
  explicit SparsePages(size_t bytes);
  ~SparsePages();
  SparsePages(SparsePages &&other) noexcept : start(other.start), bytes(other.bytes) {
    other.start = nullptr;
  }
  SparsePages &operator=(SparsePages &&other) noexcept {
    std::swap(start, other.start);
    std::swap(bytes, other.bytes);
    return *this;
  }
  uint8_t *data() const { return start; }

private:
  uint8_t *start = nullptr;
  size_t bytes = 0;
};

/// One buffer of global memory, with a shadow bit per byte that says whether it was written.
struct Allocation {
  /// Bytes lie on this machine at multiples of what their addresses are multiples of, up to this.
  static constexpr uint64_t alignment = 512;

  uint64_t base = 0;
  uint64_t size = 0;
  std::string name;
  std::string description; // type and shape, where known
  unsigned elementSize = 0;
  bool isFreed = false;
  bool isConstant = false;
  bool isAllWritten = false; // the shadow need not be read
  SparsePages pages;
  SparsePages shadow;

  uint8_t *data() const { return pages.data() + base % alignment; }
  bool isWritten(uint64_t offset, uint64_t bytes) const;
  void markWritten(uint64_t offset, uint64_t bytes);
};

/// Buffers lie apart, with gaps that belong to nobody; an address is never used twice.
class GlobalMemory {
public:
  GlobalMemory();
  /// Returns null when the size cannot be had. The buffer begins `misalignment` bytes, fewer than
  /// 512, past a multiple of 512.
  Allocation *allocate(uint64_t bytes, std::string name, uint8_t poison, uint64_t misalignment = 0);
  /// The same for constant memory, which starts as zero.
  Allocation *allocateConstant(uint64_t bytes, std::string name);
  bool release(uint64_t base);
  /// The allocation that holds `address`, or null. Freed ones are found too.
  Allocation *find(uint64_t address);
  const Allocation *find(uint64_t address) const {
    return const_cast<GlobalMemory *>(this)->find(address);
  }
  /// The allocation next to `address`, for reports: where the access went past.
  const Allocation *findNearest(uint64_t address) const;

private:
  Allocation *place(uint64_t base, uint64_t bytes, std::string name, uint8_t poison);

  std::map<uint64_t, std::unique_ptr<Allocation>> allocations;
  uint64_t nextGlobal;
  uint64_t nextConstant;
};

} // namespace attnc::emu

#endif // RUNTIME_EMULATOR_MEMORY_H
