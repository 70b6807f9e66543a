//===- FakeGpu.h - The fake driver in this process --------------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TEST_UNIT_API_FAKEGPU_H
#define TEST_UNIT_API_FAKEGPU_H

#include "attnc/attnc.hpp"
#include "runtime/cuda/DriverTypes.h"
#include <string>
#include <vector>

namespace attnc::test {

/// Loads the fake driver, which the runtime then takes for that of the system, and calls it. Every
/// test begins with its defaults. With ATTNC_TEST_DRIVER=libcuda.so.1 in the environment that
/// driver is loaded, and its first GPU used: then nothing is noted, and nothing can be set.
class FakeGpu {
public:
  FakeGpu();
  FakeGpu(const FakeGpu &) = delete;
  FakeGpu &operator=(const FakeGpu &) = delete;
  ~FakeGpu();

  /// Whether the driver is the fake one, which tests can direct.
  bool isFake() const { return fake; }

  /// The next call of a function of the driver returns `code`.
  void failNext(const char *function, int code);
  /// What the driver has noted since the test began.
  std::string getLog() const;
  void set(const char *name, const char *value);

  /// Device memory with a copy of `values`.
  template <typename T> T *upload(const std::vector<T> &values) {
    return static_cast<T *>(uploadBytes(values.data(), values.size() * sizeof(T)));
  }
  template <typename T> void download(const T *memory, std::vector<T> &values) {
    downloadBytes(memory, values.data(), values.size() * sizeof(T));
  }

private:
  void *uploadBytes(const void *bytes, size_t size);
  void downloadBytes(const void *memory, void *bytes, size_t size);
  template <typename FunctionT> FunctionT find(const char *name) const;

  void *library;
  bool fake = true;
  std::string log;
  std::vector<const char *> settings;
};

/// Leaves a test to the fake driver.
#define ATTNC_NEEDS_FAKE(gpu)                                                                      \
  if (!(gpu).isFake())                                                                             \
  GTEST_SKIP() << "directs the fake driver"

} // namespace attnc::test

#endif // TEST_UNIT_API_FAKEGPU_H
