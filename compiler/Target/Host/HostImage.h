//===- HostImage.h - Images of host kernels -----------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_TARGET_HOST_HOSTIMAGE_H
#define COMPILER_TARGET_HOST_HOSTIMAGE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Links `object`, an object file of host kernels, to the image that runtime/host/HostImage.h
/// describes. An error means that our own code is at fault: the kernels need what an image cannot
/// have.
llvm::Error linkHostImage(llvm::MemoryBufferRef object, llvm::raw_ostream &os);

} // namespace attnc

#endif // COMPILER_TARGET_HOST_HOSTIMAGE_H
