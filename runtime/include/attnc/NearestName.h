//===- NearestName.h - Suggestions for misspelt names -------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_NEARESTNAME_H
#define ATTNC_NEARESTNAME_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The candidate that `name` is most likely a misspelling of, or nothing if none is near.
std::optional<std::string> findNearestName(std::string_view name,
                                           const std::vector<std::string> &candidates);

} // namespace attnc

#endif // ATTNC_NEARESTNAME_H
