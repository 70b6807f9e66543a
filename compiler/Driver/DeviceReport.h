//===- DeviceReport.h - Which devices can run a program ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_DRIVER_DEVICEREPORT_H
#define COMPILER_DRIVER_DEVICEREPORT_H

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace attnc::driver {

/// What one device says of a program and its tensors.
struct DeviceAnswer {
  std::string device;
  std::string reason; ///< why it cannot run them; empty if it can
};

/// What the devices of a list have said, and which of them was taken.
struct DeviceReport {
  std::string taken; ///< empty if none can
  std::vector<DeviceAnswer> answers;

  /// A line for the device that was taken, and one for each of the others.
  void printText(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;

  /// The reasons of all, where none of `list` can.
  std::string describeNone(const std::string &list) const;
};

} // namespace attnc::driver

#endif // COMPILER_DRIVER_DEVICEREPORT_H
