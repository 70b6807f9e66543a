//===- Sha256.h - Digests of bytes ------------------------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_CACHE_SHA256_H
#define RUNTIME_CACHE_SHA256_H

#include <string>
#include <string_view>

namespace attnc {

/// The SHA-256 digest of `bytes` (FIPS 180-4), as 64 hexadecimal digits.
std::string getSha256(std::string_view bytes);

} // namespace attnc

#endif // RUNTIME_CACHE_SHA256_H
