//===- GlobalTracker.cpp - Accesses of one block to global memory, and conflicts between blocks
//---===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/emulator/Checks/GlobalTracker.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace attnc::emu {

RaceConflict GlobalTracker::access(const Clocks &clocks, uint64_t address, unsigned size,
                                   const ShadowAccess &access, bool isReadOnly) {
  uint64_t number = address / pageBytes;
  if (number != lastNumber) {
    std::unique_ptr<TrackedPage> &page = pages[number];
    if (!page)
      page = std::make_unique<TrackedPage>();
    lastPage = page.get();
    lastNumber = number;
  }
  TrackedPage &page = *lastPage;
  uint64_t offset = address % pageBytes;
  uint64_t granule = offset / 16;
  auto bits = static_cast<uint16_t>(((1u << size) - 1) << (offset & 15));
  if (access.kind == AccessKind::Read) {
    page.read[granule] |= bits;
    page.readPc[granule] = access.pc;
    if (isReadOnly)
      page.readOnly[granule] |= bits;
  } else {
    page.written[granule] |= bits;
    page.writePc[granule] = access.pc;
  }
  if (!access.isStrong)
    page.weak[granule] |= bits;
  return page.shadow.access(clocks, offset, size, access);
}

void LaunchTracker::merge(uint64_t block, const GlobalTracker &tracker,
                          const std::function<void(const BlockConflict &)> &report) {
  std::vector<uint64_t> numbers;
  for (const auto &entry : tracker.getPages())
    numbers.push_back(entry.first);
  std::sort(numbers.begin(), numbers.end());
  for (uint64_t number : numbers) {
    const TrackedPage &mine = *tracker.getPages().at(number);
    std::unique_ptr<Page> &page = pages[number];
    if (!page)
      page = std::make_unique<Page>();
    for (unsigned i = 0; i < TrackedPage::granules; ++i) {
      if (!(mine.read[i] | mine.written[i]))
        continue;
      Cell &cell = page->cells[i];
      uint64_t base = number * GlobalTracker::pageBytes + i * 16;
      auto collide = [&](uint16_t overlap, uint16_t otherWeak) {
        return static_cast<uint16_t>(overlap & (mine.weak[i] | otherWeak));
      };
      auto addressOf = [&](uint16_t overlap) {
        return base + static_cast<unsigned>(std::countr_zero(overlap));
      };
      if (!tracker.hasAcquired) {
        if (uint16_t both = collide(mine.written[i] & cell.written, cell.weakWritten))
          report({BlockConflict::Kind::WriteWrite, addressOf(both), block, cell.writer,
                  mine.writePc[i], cell.writePc});
        if (uint16_t both = collide(mine.read[i] & cell.written, cell.weakWritten))
          report({mine.readOnly[i] & both ? BlockConflict::Kind::ReadOnlyWritten
                                          : BlockConflict::Kind::ReadWrite,
                  addressOf(both), block, cell.writer, mine.readPc[i], cell.writePc});
        if (uint16_t both = collide(mine.written[i] & cell.read, cell.weakRead))
          report({cell.readOnly & both ? BlockConflict::Kind::ReadOnlyWritten
                                       : BlockConflict::Kind::ReadWrite,
                  addressOf(both), block, cell.reader, mine.writePc[i], cell.readPc});
      }
      if (uint16_t own = mine.readOnly[i] & mine.written[i])
        report({BlockConflict::Kind::ReadOnlyWritten, addressOf(own), block, block, mine.writePc[i],
                mine.readPc[i]});
      if (mine.written[i]) {
        cell.written |= mine.written[i];
        cell.weakWritten |= mine.written[i] & mine.weak[i];
        cell.writer = block;
        cell.writePc = mine.writePc[i];
      }
      if (mine.read[i]) {
        cell.read |= mine.read[i];
        cell.weakRead |= mine.read[i] & mine.weak[i];
        cell.readOnly |= mine.readOnly[i];
        cell.reader = block;
        cell.readPc = mine.readPc[i];
      }
    }
  }
}

} // namespace attnc::emu
