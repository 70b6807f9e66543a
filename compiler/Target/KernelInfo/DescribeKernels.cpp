//===- DescribeKernels.cpp - Notes how each attn.kernel is launched ---------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Target/KernelInfo/KernelAttributes.h"
#include "compiler/Target/KernelInfo/KernelInfo.h"
#include "compiler/Target/KernelInfo/Passes.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace attnc {
#define GEN_PASS_DEF_DESCRIBEKERNELSPASS
#include "compiler/Target/KernelInfo/Passes.h.inc"

namespace {
class DescribeKernelsPass : public impl::DescribeKernelsPassBase<DescribeKernelsPass> {
  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> kernels;
    getOperation().walk([&](attn::KernelOp kernel) {
      std::string text;
      llvm::raw_string_ostream(text) << toJSON(getKernelInfo(kernel));
      kernels.push_back(builder.getNamedAttr(kernel.getSymName(), builder.getStringAttr(text)));
    });
    getOperation()->setAttr(kernelsAttrName, builder.getDictionaryAttr(kernels));
  }
};
} // namespace
} // namespace attnc
