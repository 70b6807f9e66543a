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

uint64_t nextAddress(const Allocation &allocation) {
  uint64_t end = allocation.base + allocation.size + gap;
  return (end + Allocation::alignment - 1) / Allocation::alignment * Allocation::alignment;
}

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

GlobalMemory::GlobalMemory() : nextGlobal(globalStart), nextConstant(constantStart) {}

Allocation *GlobalMemory::allocate(uint64_t bytes, std::string name, uint8_t poison,
                                   uint64_t misalignment) {
  if (bytes > globalEnd - nextGlobal - gap)
    return nullptr;
  Allocation *allocation = place(nextGlobal + misalignment, bytes, std::move(name), poison);
  if (allocation)
    nextGlobal = nextAddress(*allocation);
  return allocation;
}

Allocation *GlobalMemory::allocateConstant(uint64_t bytes, std::string name) {
  if (nextConstant + gap > constantEnd || bytes > constantEnd - nextConstant - gap)
    return nullptr;
  Allocation *allocation = place(nextConstant, bytes, std::move(name), 0);
  if (allocation) {
    allocation->isConstant = true;
    nextConstant = nextAddress(*allocation);
  }
  return allocation;
}

Allocation *GlobalMemory::place(uint64_t base, uint64_t bytes, std::string name, uint8_t poison) {
  auto allocation = std::make_unique<Allocation>();
  allocation->base = base;
  allocation->size = bytes;
  allocation->name = std::move(name);
  allocation->pages = SparsePages(bytes + base % Allocation::alignment);
  allocation->shadow = SparsePages((bytes + 63) / 64 * 8);
  if (!allocation->pages.data() || !allocation->shadow.data())
    return nullptr;
  if (bytes <= maximumPoisoned)
    std::memset(allocation->data(), poison, bytes);
  Allocation *result = allocation.get();
  allocations[base] = std::move(allocation);
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
