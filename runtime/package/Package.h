//===- Package.h - Kernels of several programs and targets --------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A package is one file of kernels of several programs, each compiled for several targets. What
// lies in it is found by an index at its beginning, so that a mapped file is read where it is used
// alone. docs/abi.md has the layout. Files come from anywhere: nothing in them is trusted.
//
//===------------------------------------------------------------------------===//

#ifndef RUNTIME_PACKAGE_PACKAGE_H
#define RUNTIME_PACKAGE_PACKAGE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The form of the code of a program in a package.
enum class CodeForm : uint32_t { HostImage = 1, Ptx = 2, Cubin = 3 };

/// A program compiled for one target: all its kernels, as the file of that form has them.
struct PackagedCode {
  std::string_view program;
  CodeForm form = CodeForm::HostImage;
  std::string_view target;   ///< the CPU, or the architecture of GPUs
  std::string_view features; ///< of a host image: those that it needs, with commas between them
  std::string_view bytes;
  std::string_view digest; ///< of `bytes`; that of a package that is to be written is not read

  /// For people: "PTX for sm_80", "a host image for x86-64-v3".
  std::string describe() const;
};

/// True if `bytes` begin as a package does.
bool isPackage(std::string_view bytes);

/// What a package has, in its order. All views are into its bytes.
class Package {
public:
  /// Reads the index of a package. Returns what is wrong with it, or nothing. Forms that came later
  /// are passed over.
  static std::optional<std::string> read(std::string_view bytes, Package &package);

  const std::vector<PackagedCode> &getCodes() const { return codes; }
  /// The names of the programs, each once.
  std::vector<std::string_view> getPrograms() const;
  /// The code of one program.
  std::vector<PackagedCode> getCodesOf(std::string_view program) const;

private:
  std::vector<PackagedCode> codes;
};

/// An error if the bytes of `code` are not those that were written.
std::optional<std::string> checkDigest(const PackagedCode &code);

/// For people: "PTX for sm_80, a cubin for sm_90".
std::string listCodes(const std::vector<PackagedCode> &codes);

/// The bytes of a package of `codes`.
std::string writePackage(const std::vector<PackagedCode> &codes);

} // namespace attnc

#endif // RUNTIME_PACKAGE_PACKAGE_H
