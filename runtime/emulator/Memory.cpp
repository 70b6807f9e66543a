//===- Memory.cpp - Global memory of the device ---------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Memory.h"
#include "runtime/emulator/Windows.h"

#include <atomic>
#include <cstring>
#include <sys/mman.h>

namespace attnc::emu {
namespace {

constexpr uint64_t gap = uint64_t(1) << 20;
/// Larger buffers start as zero pages: filling them would need the memory.
constexpr uint64_t maximumPoisoned = uint64_t(64) << 20;

} // namespace

SparsePages::SparsePages(size_t size) {
  bytes = size ? size : 1;
  void *pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages != MAP_FAILED)
    start = static_cast<uint8_t *>(pages);
}

SparsePages::~SparsePages() {
  if (start)
    munmap(start, bytes);
}

bool Allocation::isWritten(uint64_t offset, uint64_t count) const {
  if (isAllWritten)
    return true;
  auto *words = reinterpret_cast<uint64_t *>(shadow.data());
  while (count > 0) {
    uint64_t bit = offset & 63;
    uint64_t here = std::min<uint64_t>(count, 64 - bit);
    uint64_t mask = (here == 64 ? ~uint64_t(0) : (uint64_t(1) << here) - 1) << bit;
    uint64_t word = std::atomic_ref<uint64_t>(words[offset / 64]).load(std::memory_order_relaxed);
    if ((word & mask) != mask)
      return false;
    offset += here;
    count -= here;
  }
  return true;
}

void Allocation::markWritten(uint64_t offset, uint64_t count) {
  if (isAllWritten)
    return;
  auto *words = reinterpret_cast<uint64_t *>(shadow.data());
  while (count > 0) {
    uint64_t bit = offset & 63;
    uint64_t here = std::min<uint64_t>(count, 64 - bit);
    uint64_t mask = (here == 64 ? ~uint64_t(0) : (uint64_t(1) << here) - 1) << bit;
    std::atomic_ref<uint64_t> word(words[offset / 64]);
    if ((word.load(std::memory_order_relaxed) & mask) != mask)
      word.fetch_or(mask, std::memory_order_relaxed);
    offset += here;
    count -= here;
  }
}

Allocation *GlobalMemory::allocate(uint64_t bytes, std::string name, uint8_t poison,
                                   uint64_t misalignment) {
  if (next == 0)
    next = globalStart;
  if (bytes > globalEnd - next - gap)
    return nullptr;
  auto allocation = std::make_unique<Allocation>();
  allocation->base = next + misalignment;
  allocation->size = bytes;
  allocation->name = std::move(name);
  allocation->pages = SparsePages(bytes);
  allocation->shadow = SparsePages((bytes + 63) / 64 * 8);
  if (!allocation->pages.data() || !allocation->shadow.data())
    return nullptr;
  if (bytes <= maximumPoisoned)
    std::memset(allocation->data(), poison, bytes);
  next = (allocation->base + bytes + gap + 511) / 512 * 512;
  Allocation *result = allocation.get();
  allocations[result->base] = std::move(allocation);
  return result;
}

bool GlobalMemory::release(uint64_t base) {
  auto found = allocations.find(base);
  if (found == allocations.end() || found->second->isFreed)
    return false;
  found->second->isFreed = true;
  SparsePages pages = std::move(found->second->pages);
  SparsePages shadow = std::move(found->second->shadow);
  return true;
}

Allocation *GlobalMemory::find(uint64_t address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation &candidate = *std::prev(after)->second;
  return address - candidate.base < candidate.size ? &candidate : nullptr;
}

const Allocation *GlobalMemory::findNearest(uint64_t address) const {
  auto after = allocations.upper_bound(address);
  const Allocation *below = after == allocations.begin() ? nullptr : std::prev(after)->second.get();
  const Allocation *above = after == allocations.end() ? nullptr : after->second.get();
  if (!below || !above)
    return below ? below : above;
  return address - (below->base + below->size) <= above->base - address ? below : above;
}

} // namespace attnc::emu
