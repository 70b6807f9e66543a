//===- MaskImage.cpp - A mask as an image -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/MaskImage.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <png.h>

using namespace attnc;
using namespace attnc::driver;

namespace {
struct Color {
  uint8_t red, green, blue;
};
} // namespace

/// Of empty, partial and full cells: far apart in lightness too, for prints and for eyes that see
/// no colours.
static constexpr Color colors[] = {{242, 242, 242}, {247, 163, 64}, {31, 78, 121}};

static constexpr int64_t mostPairs = 512; ///< on a side, so that an image shows single pairs

/// Cells for an image with at most `most` of them on a side.
static llvm::Expected<MaskCells>
findImageCells(const HostKernel &kernel, const BoundArguments &bound, int64_t most, int threads) {
  int64_t longest = std::max(bound.Q, bound.KV);
  int64_t size = longest <= mostPairs ? 1 : llvm::divideCeil(longest, most);
  return findCells(kernel, bound, size, size, threads);
}

/// The pixels of a cell's side, so that small masks can be seen.
static int64_t getScale(const MaskCells &cells) {
  constexpr int64_t wanted = 512;
  return std::max<int64_t>(1, wanted / std::max(cells.rows, cells.columns));
}

static llvm::Error checkHasPairs(const BoundArguments &bound) {
  if (bound.B == 0 || bound.Hq == 0 || bound.Q == 0 || bound.KV == 0)
    return llvm::createStringError("a mask without pairs has no image; `-` is a picture in text");
  return llvm::Error::success();
}

llvm::Expected<std::string> driver::drawMaskPng(const HostKernel &kernel,
                                                const BoundArguments &bound, int threads) {
  if (llvm::Error error = checkHasPairs(bound))
    return error;
  llvm::Expected<MaskCells> cells = findImageCells(kernel, bound, /*most=*/1024, threads);
  if (!cells)
    return cells.takeError();
  int64_t scale = getScale(*cells), width = cells->columns * scale;
  std::vector<uint8_t> pixels(cells->rows * scale * width);
  for (int64_t y = 0; y < cells->rows * scale; ++y)
    for (int64_t x = 0; x < width; ++x)
      pixels[y * width + x] = cells->get(y / scale, x / scale);

  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(cells->rows * scale);
  image.format = PNG_FORMAT_RGB_COLORMAP;
  image.colormap_entries = std::size(colors);
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string result(size, '\0');
  if (!png_image_write_to_memory(&image, result.data(), &size, /*convert_to_8_bit=*/0,
                                 pixels.data(), static_cast<png_int_32>(width), colors))
    return llvm::createStringError("libpng cannot make the image: " + std::string(image.message));
  result.resize(size);
  return result;
}

llvm::Expected<std::string> driver::drawMaskSvg(const HostKernel &kernel,
                                                const BoundArguments &bound, int threads) {
  if (llvm::Error error = checkHasPairs(bound))
    return error;
  llvm::Expected<MaskCells> cells = findImageCells(kernel, bound, /*most=*/256, threads);
  if (!cells)
    return cells.takeError();
  int64_t scale = getScale(*cells), width = cells->columns * scale, height = cells->rows * scale;
  auto getColor = [](MaskCells::Kind kind) {
    const Color &color = colors[kind];
    return llvm::formatv("rgb({0},{1},{2})", int(color.red), int(color.green), int(color.blue))
        .str();
  };
  std::string text =
      llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                    "viewBox=\"0 0 {2} {3}\" shape-rendering=\"crispEdges\">\n"
                    "<title>mask of batch 0, head 0: {4} queries (down) by {5} keys (across); "
                    "{6}</title>\n"
                    "<rect width=\"{2}\" height=\"{3}\" fill=\"{7}\"/>\n",
                    width, height, cells->columns, cells->rows, cells->queries, cells->keys,
                    cells->describe("cell"), getColor(MaskCells::Empty));
  // A path a colour, with a rectangle for each run of cells of a row.
  for (MaskCells::Kind kind : {MaskCells::Partial, MaskCells::Full}) {
    std::string path;
    for (int64_t row = 0; row < cells->rows; ++row)
      for (int64_t first = 0, end; first < cells->columns; first = end) {
        MaskCells::Kind found = cells->get(row, first);
        for (end = first + 1; end < cells->columns && cells->get(row, end) == found;)
          ++end;
        if (found == kind)
          path += llvm::formatv("M{0} {1}h{2}v1h-{2}z", first, row, end - first);
      }
    if (!path.empty())
      text += llvm::formatv("<path class=\"{0}\" fill=\"{1}\" d=\"{2}\"/>\n",
                            kind == MaskCells::Full ? "full" : "partial", getColor(kind), path);
  }
  return text + "</svg>\n";
}
