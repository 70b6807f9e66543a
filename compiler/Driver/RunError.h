//===- RunError.h - Why a run failed ------------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_RUNERROR_H
#define COMPILER_DRIVER_RUNERROR_H

#include <string>

namespace attnc::driver {

/// The exit statuses of all tools.
enum ExitStatus {
  Success = 0,
  BadInput = 1,      ///< errors in the program or in the data, a report of --checked
  BadUsage = 2,      ///< of the command line
  Environment = 3,   ///< a file, the machine
  CheckFailed = 4,   ///< --check
  InternalError = 70 ///< our own code is at fault
};

/// One line for the user, and how the process ends. An empty message has been said already.
struct RunError {
  ExitStatus status;
  std::string message;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_RUNERROR_H
