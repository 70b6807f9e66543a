//===- BoundVariant.cpp - A variant, bound to tensors -----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/bench/BoundVariant.h"
#include "compiler/Frontend/Frontend.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/Reference/PairCount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <numeric>

using namespace mlir;
using namespace attnc;
using namespace attnc::bench;

void attnc::bench::fail(const std::string &message) {
  llvm::errs() << "error: " << message << "\n";
  std::exit(1);
}

static void check(const std::optional<driver::RunError> &error) {
  if (error)
    fail(error->message);
}

/// The options of attn-run that describe tensors of `shape`.
static driver::RunOptions describeTensors(const Shape &shape) {
  driver::RunOptions options;
  options.random = driver::RandomOption{{{"B", 1},
                                         {"Hq", shape.heads},
                                         {"Hkv", shape.heads},
                                         {"Q", shape.length},
                                         {"KV", shape.length},
                                         {"D", shape.headDim},
                                         {"Dv", shape.headDim}},
                                        shape.dtype};
  return options;
}

MainTensors::MainTensors(const Shape &shape)
    : shape(shape), options(describeTensors(shape)), source(driver::createRandomTensors(options)) {
  check(source->addMainTensors(arguments));
  check(driver::TensorBuffer::allocate("`o`", shape.dtype, arguments.q.sizes, o));
  arguments.o = o.getView();
}

BoundVariant::BoundVariant(const Variant &variant, const MainTensors &tensors)
    : variant(variant), shape(tensors.getShape()), options(describeTensors(shape)),
      arguments(tensors.getArguments()) {
  if (variant.documents)
    options.fills["doc"] = {driver::FillOption::Documents, 0, 0, variant.documents};
  if (variant.limit)
    arguments.scalars["limit"] = variant.limit;
  source = driver::createRandomTensors(options);

  DialectRegistry registry;
  insertAllDialects(registry);
  context.appendDialectRegistry(registry);
  FrontendOptions frontend;
  frontend.shapes = {{shape.dtype, shape.headDim, shape.headDim}};
  FrontendResult program = compileToAttn(sources.add(variant.name, variant.program), frontend,
                                         sources, diagnostics, context);
  diagnostics.printText(llvm::errs(), /*colors=*/false);
  if (!program.module)
    fail("`" + variant.name + "` is no program");
  module = std::move(program.module);
  attn::KernelOp attn = *module->getOps<attn::KernelOp>().begin();
  KernelInfo info = getKernelInfo(attn);
  check(source->addCaptures(info, arguments));
  if (std::optional<std::string> error = bindArguments(info, arguments, bound))
    fail(*error);

  constexpr int64_t block = 128;
  FailureOr<reference::BlockCounts> counts =
      reference::countBlocks(attn, info, arguments, bound, /*b=*/0, /*h=*/0, block, block);
  if (failed(counts))
    fail("the mask of `" + variant.name + "` cannot be evaluated");
  pairs = std::accumulate(counts->pairs.begin(), counts->pairs.end(), int64_t(0)) * shape.heads;
  blockShare =
      static_cast<double>(llvm::count_if(counts->pairs, [](int64_t count) { return count > 0; })) /
      static_cast<double>(counts->pairs.size());
}

double BoundVariant::getFlops() const {
  return static_cast<double>(pairs) * 4 * static_cast<double>(shape.headDim);
}

double BoundVariant::getPairShare() const {
  return static_cast<double>(pairs) /
         static_cast<double>(shape.heads * shape.length * shape.length);
}
