//===- Failure.h - Why a call of the C ABI failed ---------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_API_FAILURE_H
#define RUNTIME_API_FAILURE_H

#include "attnc/attnc.h"
#include <optional>
#include <string>

namespace attnc::api {

struct Failure {
  attnc_status_t status;
  std::string message;
};

/// What a step of a call gives: nothing, or why it failed.
using Result = std::optional<Failure>;

inline Failure invalidArgument(std::string message) {
  return {ATTNC_INVALID_ARGUMENT, std::move(message)};
}

} // namespace attnc::api

#endif // RUNTIME_API_FAILURE_H
