//===- DeviceReport.cpp - Which devices can run a program -----------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "compiler/Driver/DeviceReport.h"

using namespace attnc::driver;

void DeviceReport::printText(llvm::raw_ostream &os) const {
  os << "device " << taken << "\n";
  for (const DeviceAnswer &answer : answers)
    if (!answer.reason.empty())
      os << "       " << answer.device << " cannot run this: " << answer.reason << "\n";
    else if (answer.device != taken)
      os << "       " << answer.device << " can run this too\n";
}

llvm::json::Value DeviceReport::toJSON() const {
  llvm::json::Array all;
  for (const DeviceAnswer &answer : answers) {
    llvm::json::Object object{{"device", answer.device}, {"can_run", answer.reason.empty()}};
    if (!answer.reason.empty())
      object["reason"] = answer.reason;
    all.push_back(std::move(object));
  }
  return llvm::json::Object{{"taken", taken}, {"answers", std::move(all)}};
}

std::string DeviceReport::describeNone(const std::string &list) const {
  std::string text = "no device of `" + list + "` can run this:";
  for (const DeviceAnswer &answer : answers)
    text += "\n  " + answer.device + ": " + answer.reason;
  return text;
}
