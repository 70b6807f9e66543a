//===- NearestName.h - Suggests what a misspelt name may mean -----*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef COMPILER_FRONTEND_NEARESTNAME_H
#define COMPILER_FRONTEND_NEARESTNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace attnc {

/// Collects candidates and keeps the nearest to a name, the first of equally near ones.
class NearestName {
public:
  explicit NearestName(llvm::StringRef name) : name(name) {}

  void consider(llvm::StringRef candidate) {
    // At most a third of the name may be wrong, and a candidate must keep a letter of it.
    unsigned limit = name.size() < 3 ? 1 : (name.size() + 2) / 3;
    if (candidate.empty() || candidate == name || name.size() > maxLength)
      return;
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, limit);
    if (distance > limit || distance >= best || distance >= candidate.size())
      return;
    best = distance;
    nearest = candidate.str();
  }

  bool isFound() const { return !nearest.empty(); }
  const std::string &get() const { return nearest; }
  /// "did you mean `window`?", or nothing.
  std::string getQuestion() const {
    return isFound() ? "did you mean `" + nearest + "`?" : std::string();
  }

private:
  static constexpr size_t maxLength = 100;

  llvm::StringRef name;
  std::string nearest;
  unsigned best = ~0u;
};

} // namespace attnc

#endif // COMPILER_FRONTEND_NEARESTNAME_H
