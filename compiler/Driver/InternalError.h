//===- InternalError.h - What happens when our own code is at fault -*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_INTERNALERROR_H
#define COMPILER_DRIVER_INTERNALERROR_H

namespace attnc::driver {

/// From now on a crash, or a fatal error of LLVM, ends the process with a line that asks for a
/// report. `tool` stands at the start of that line. A write beyond the limit of a file's size is an
/// error of that write from now on, and does not end the process.
void reportInternalErrors(const char *tool);

} // namespace attnc::driver

#endif // COMPILER_DRIVER_INTERNALERROR_H
