//===- MaskPicture.h - A mask, drawn in characters ----------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_MASKPICTURE_H
#define COMPILER_DRIVER_MASKPICTURE_H

#include "attnc/HostKernel.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace attnc::driver {

/// The mask of the first batch and head in cells, each a block of pairs; a single pair where the
/// mask is small.
struct MaskCells {
  enum Kind : uint8_t { Empty, Partial, Full };

  int64_t queries = 0, keys = 0;               ///< of the mask
  int64_t queriesPerCell = 1, keysPerCell = 1; ///< the last cells may have fewer
  int64_t rows = 0, columns = 0;               ///< of cells
  std::vector<Kind> cells;                     ///< row by row

  bool showsPairs() const { return queriesPerCell == 1 && keysPerCell == 1; }
  Kind get(int64_t row, int64_t column) const { return cells[row * columns + column]; }
  /// What a cell is, for people: "each cell is one pair".
  std::string describe(const std::string &cell) const;
};

/// What of the mask of `kernel` takes part, in cells of these sizes. Partial cells have been
/// evaluated pair by pair, unless that took too long.
llvm::Expected<MaskCells> findCells(const HostKernel &kernel, const BoundArguments &bound,
                                    int64_t queriesPerCell, int64_t keysPerCell, int threads);

/// Draws the mask for a terminal, queries downwards and keys to the right. At most 64 columns.
llvm::Expected<std::string> drawMask(const HostKernel &kernel, const BoundArguments &bound,
                                     int threads);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_MASKPICTURE_H
