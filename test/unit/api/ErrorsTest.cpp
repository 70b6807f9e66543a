//===- ErrorsTest.cpp - Tests of wrong arguments --------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "test/unit/api/Allocations.h"
#include "test/unit/api/Probe.h"
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

using namespace attnc;
using namespace attnc::test;

namespace {
class ApiErrors : public testing::Test {
protected:
  Device device = Device::host(2);
  Kernel kernel = Kernel::load(device, getProbe().data(), getProbe().size());
  Probe probe;
  Launch launch = probe.bind(kernel);

  /// What preparing the launch says.
  std::string prepare() { return launch.tryPrepare().message(); }

  std::string set(const char *name, const DLTensor &tensor) {
    return launch.trySet(name, tensor).message();
  }
};

} // namespace

/// The message that `text` gives after a call that must fail with `status`.
#define EXPECT_FAILURE(status, call, message, text)                                                \
  EXPECT_EQ(call, status);                                                                         \
  EXPECT_EQ(std::string(message), text)
#define EXPECT_REFUSED(call, message, text)                                                        \
  EXPECT_FAILURE(ATTNC_INVALID_ARGUMENT, call, message, text)

TEST_F(ApiErrors, Devices) {
  attnc_device_t *opened = nullptr;
  attnc_device_options_t options{};
  options.struct_size = sizeof options;
  auto open = [&](const char *name, attnc_device_options_t *given) {
    attnc_status_t status = attnc_device_open(name, given, &opened);
    EXPECT_EQ(status, ATTNC_INVALID_ARGUMENT);
    EXPECT_EQ(opened, nullptr);
    return std::string(attnc_device_message(nullptr));
  };
  EXPECT_EQ(open(nullptr, nullptr), "`name`: expected a pointer, got NULL");
  EXPECT_EQ(open("gpu", nullptr),
            "expected a device of host, cuda, cuda:N, emulator or auto, got `gpu`");
  options.threads = -1;
  EXPECT_EQ(open("host", &options), "`threads`: expected at least 0, got -1");
  options.threads = 5000;
  EXPECT_EQ(open("host", &options), "`threads`: expected at most 4096, got 5000");
  options.threads = 0;
  options.parallel_for = [](void *, int64_t, void (*)(void *, int64_t), void *) {};
  EXPECT_EQ(open("emulator", &options),
            "`parallel_for`: expected the device `host`, got `emulator`");
  options.struct_size = 8;
  EXPECT_EQ(open("host", &options), "`options`: expected a struct_size of at least 32, got 8");
  struct Later {
    attnc_device_options_t options;
    int64_t more;
  } later{};
  later.options.struct_size = sizeof later;
  later.more = 1;
  EXPECT_EQ(open("host", &later.options),
            "`options`: has members that need version 2 of the library or later");
  later.more = 0;
  later.options.struct_size = SIZE_MAX;
  EXPECT_EQ(open("host", &later.options),
            "`options`: expected a struct_size of at most 4096, got 18446744073709551615");
  later.options.struct_size = sizeof later;
  attnc_device_t *usable = nullptr;
  EXPECT_EQ(attnc_device_open("host", &later.options, &usable), ATTNC_OK);
  EXPECT_EQ(attnc_device_release(usable), ATTNC_OK);
  EXPECT_REFUSED(attnc_device_open("host", nullptr, nullptr), attnc_device_message(nullptr),
                 "`device`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_device_get_info(device.get(), nullptr), attnc_device_message(device.get()),
                 "`info`: expected a pointer, got NULL");
  attnc_device_info_t info{};
  EXPECT_REFUSED(attnc_device_get_info(device.get(), &info), attnc_device_message(device.get()),
                 "`info`: expected a struct_size of at least 56, got 0");
}

TEST_F(ApiErrors, Kernels) {
  attnc_kernel_t *loaded = nullptr;
  auto load = [&](const std::string &bytes) {
    attnc_status_t status = attnc_kernel_load(device.get(), bytes.data(), bytes.size(), &loaded);
    EXPECT_EQ(status, ATTNC_INVALID_KERNEL);
    EXPECT_EQ(loaded, nullptr);
    return std::string(attnc_device_message(device.get()));
  };
  const std::string expected = "expected a host image, which `attnc FILE -o OUT.so` writes, got ";
  EXPECT_EQ(load(""), expected + "nothing");
  EXPECT_EQ(load("hello"), expected + "something else");
  EXPECT_EQ(load("//\n.version 7.0\n.target sm_80\n"), expected + "PTX");
  std::string object = getProbe(), cubin = getProbe();
  object[16] = 1; // ET_REL
  EXPECT_EQ(load(object), expected + "an object file");
  cubin[16] = 2;
  cubin[18] = static_cast<char>(190); // EM_CUDA
  EXPECT_EQ(load(cubin), expected + "a cubin");
  std::string checked = getProbe();
  size_t place = checked.find("\"checked\":false");
  checked.replace(place, 15, "\"checked\":true ");
  EXPECT_EQ(load(checked), "there is no function `probe_f32_d4_check`");
  EXPECT_EQ(load(getProbe().substr(0, 200)), "the program headers lie outside the file");
  EXPECT_REFUSED(attnc_kernel_load(device.get(), nullptr, 0, &loaded),
                 attnc_device_message(device.get()), "`bytes`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_kernel_load(device.get(), "", 0, nullptr),
                 attnc_device_message(device.get()), "`kernel`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_kernel_load_file(device.get(), nullptr, &loaded),
                 attnc_device_message(device.get()), "`path`: expected a pointer, got NULL");
  EXPECT_FAILURE(ATTNC_UNAVAILABLE, attnc_kernel_load_file(device.get(), "/nowhere/x.so", &loaded),
                 attnc_device_message(device.get()),
                 "/nowhere/x.so: cannot read: No such file or directory");
  // Some of these have no end.
  for (std::string path : {"/", "/dev/null", "/dev/zero"}) {
    EXPECT_FAILURE(ATTNC_UNAVAILABLE, attnc_kernel_load_file(device.get(), path.c_str(), &loaded),
                   attnc_device_message(device.get()), path + ": expected a regular file");
  }
}

TEST_F(ApiErrors, Queries) {
  attnc_variant_info_t variant{};
  attnc_argument_info_t argument{};
  variant.struct_size = sizeof variant;
  argument.struct_size = sizeof argument;
  auto message = [&] { return attnc_kernel_message(kernel.get()); };
  EXPECT_REFUSED(attnc_kernel_get_variant_count(kernel.get(), nullptr), message(),
                 "`count`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_kernel_get_variant(kernel.get(), 2, &variant), message(),
                 "`index`: expected a number below 2, got 2");
  EXPECT_REFUSED(attnc_kernel_get_argument(kernel.get(), 9, 0, &argument), message(),
                 "`variant`: expected a number below 2, got 9");
  EXPECT_REFUSED(attnc_kernel_get_argument(kernel.get(), 0, 99, &argument), message(),
                 "`index`: expected a number below " +
                     std::to_string(kernel.variant(0).argument_count) + ", got 99");
  variant.struct_size = 1;
  EXPECT_REFUSED(attnc_kernel_get_variant(kernel.get(), 0, &variant), message(),
                 "`info`: expected a struct_size of at least 72, got 1");
  EXPECT_REFUSED(attnc_launch_create(kernel.get(), nullptr), message(),
                 "`launch`: expected a pointer, got NULL");
}

// NULL and released handles, for which there is no message of their own.
TEST_F(ApiErrors, Handles) {
  auto message = [] { return attnc_device_message(nullptr); };
  size_t count = 0;
  EXPECT_REFUSED(attnc_device_get_info(nullptr, nullptr), message(),
                 "`device`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_kernel_get_variant_count(nullptr, &count), message(),
                 "`kernel`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_launch_create(nullptr, nullptr), message(),
                 "`kernel`: expected a handle, got NULL");
  EXPECT_REFUSED(attnc_launch_run(nullptr, nullptr), message(),
                 "`launch`: expected a handle, got NULL");
  attnc_launch_t *created = nullptr;
  ASSERT_EQ(attnc_launch_create(kernel.get(), &created), ATTNC_OK);
  ASSERT_EQ(attnc_launch_release(created), ATTNC_OK);
  for (int i = 0; i < 100; ++i) {
    attnc_launch_t *later = nullptr;
    attnc_launch_create(kernel.get(), &later);
    attnc_launch_release(later);
  }
  const char *released = "`launch`: expected a handle, got one that was released";
  EXPECT_REFUSED(attnc_launch_run(created, nullptr), message(), released);
  EXPECT_REFUSED(attnc_launch_prepare(created), message(), released);
  EXPECT_REFUSED(attnc_launch_release(created), message(), released);
  EXPECT_STREQ(attnc_launch_message(created), released);
}

// Every function says so of a handle that is NULL or was released.
TEST_F(ApiErrors, EveryFunctionLooksAtItsHandle) {
  attnc_device_t *goneDevice = nullptr;
  attnc_kernel_t *goneKernel = nullptr;
  attnc_launch_t *goneLaunch = nullptr;
  ASSERT_EQ(attnc_device_open("host", nullptr, &goneDevice), ATTNC_OK);
  ASSERT_EQ(attnc_kernel_load(goneDevice, getProbe().data(), getProbe().size(), &goneKernel),
            ATTNC_OK);
  ASSERT_EQ(attnc_launch_create(goneKernel, &goneLaunch), ATTNC_OK);
  ASSERT_EQ(attnc_launch_release(goneLaunch), ATTNC_OK);
  ASSERT_EQ(attnc_kernel_release(goneKernel), ATTNC_OK);
  ASSERT_EQ(attnc_device_release(goneDevice), ATTNC_OK);
  EXPECT_EQ(attnc_device_release(goneDevice), ATTNC_INVALID_ARGUMENT);
  EXPECT_EQ(attnc_kernel_release(goneKernel), ATTNC_INVALID_ARGUMENT);
  EXPECT_EQ(attnc_launch_release(goneLaunch), ATTNC_INVALID_ARGUMENT);
  auto expectRefused = [](attnc_status_t status, const std::string &message) {
    EXPECT_EQ(status, ATTNC_INVALID_ARGUMENT);
    EXPECT_EQ(attnc_device_message(nullptr), message);
  };

  attnc_device_info_t deviceInfo{};
  attnc_source_t source{};
  source.struct_size = sizeof source;
  source.text = "";
  attnc_kernel_t *kernelResult = nullptr;
  for (attnc_device_t *handle : {goneDevice, static_cast<attnc_device_t *>(nullptr)}) {
    const std::string message = std::string("`device`: expected a handle, got ") +
                                (handle ? "one that was released" : "NULL");
    expectRefused(attnc_device_get_info(handle, &deviceInfo), message);
    expectRefused(attnc_kernel_load(handle, "", 0, &kernelResult), message);
    expectRefused(attnc_kernel_load_file(handle, "x", &kernelResult), message);
    expectRefused(attnc_kernel_compile(handle, &source, &kernelResult), message);
  }

  size_t size = 0;
  attnc_variant_info_t variant{};
  attnc_argument_info_t argument{};
  attnc_launch_t *launchResult = nullptr;
  for (attnc_kernel_t *handle : {goneKernel, static_cast<attnc_kernel_t *>(nullptr)}) {
    const std::string message = std::string("`kernel`: expected a handle, got ") +
                                (handle ? "one that was released" : "NULL");
    expectRefused(attnc_kernel_get_variant_count(handle, &size), message);
    expectRefused(attnc_kernel_get_variant(handle, 0, &variant), message);
    expectRefused(attnc_kernel_get_argument(handle, 0, 0, &argument), message);
    expectRefused(attnc_launch_create(handle, &launchResult), message);
  }

  Tensor q = probe.getQ();
  DLTensor tensor = q.get();
  attnc_plan_t *plan = nullptr;
  for (attnc_launch_t *handle : {goneLaunch, static_cast<attnc_launch_t *>(nullptr)}) {
    const std::string message = std::string("`launch`: expected a handle, got ") +
                                (handle ? "one that was released" : "NULL");
    expectRefused(attnc_launch_set_tensor(handle, "q", &tensor), message);
    expectRefused(attnc_launch_set_versioned_tensor(handle, "q", nullptr), message);
    expectRefused(attnc_launch_set_float(handle, "cap", 1), message);
    expectRefused(attnc_launch_set_int(handle, "shift", 1), message);
    expectRefused(attnc_launch_set_bool(handle, "flag", 1), message);
    expectRefused(attnc_launch_prepare(handle), message);
    expectRefused(attnc_launch_get_variant(handle, &size), message);
    expectRefused(attnc_launch_get_workspace(handle, &size, nullptr), message);
    expectRefused(attnc_launch_set_workspace(handle, nullptr, 0), message);
    expectRefused(attnc_launch_allocate_workspace(handle), message);
    expectRefused(attnc_launch_run(handle, nullptr), message);
    expectRefused(attnc_launch_run_part(handle, 0, 1), message);
    expectRefused(attnc_launch_set_plan(handle, nullptr), message);
    expectRefused(attnc_launch_verify_plan(handle, nullptr), message);
    expectRefused(attnc_plan_create(handle, nullptr, &plan), message);
  }
  EXPECT_EQ(kernelResult, nullptr);
  EXPECT_EQ(launchResult, nullptr);
  EXPECT_EQ(plan, nullptr);
}

// Each handle and each thread has its own.
TEST_F(ApiErrors, MessagesDoNotMix) {
  Launch other = probe.bind(kernel);
  EXPECT_FALSE(launch.trySet("doc", 1));
  EXPECT_FALSE(other.trySet("cap", probe.getQ()));
  const char *mine = "`doc`: expected a tensor, got a number";
  EXPECT_STREQ(attnc_launch_message(launch.get()), mine);
  EXPECT_STREQ(attnc_launch_message(other.get()),
               "`cap`: expected a number, as it is a scalar, got a tensor");
  std::thread([&] {
    EXPECT_STREQ(attnc_launch_message(launch.get()), "");
    EXPECT_FALSE(launch.trySet("capp", true));
  }).join();
  EXPECT_STREQ(attnc_launch_message(launch.get()), mine);
}

TEST_F(ApiErrors, Names) {
  Tensor doc(probe.doc.data(), {2, 3});
  DLTensor tensor = doc.get();
  EXPECT_EQ(set("dok", tensor),
            "`dok`: the kernel takes no tensor of this name, did you mean `doc`?");
  EXPECT_EQ(set("cap", tensor), "`cap`: expected a number, as it is a scalar, got a tensor");
  EXPECT_STREQ(launch.trySet("capp", 1).message(),
               "`capp`: the kernel takes no scalar of this name, did you mean `cap`?");
  EXPECT_STREQ(launch.trySet("on", true).message(), "`on`: expected a tensor, got a number");
  EXPECT_REFUSED(attnc_launch_set_tensor(launch.get(), nullptr, &tensor),
                 attnc_launch_message(launch.get()), "`name`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_set_tensor(launch.get(), "q", nullptr),
                 attnc_launch_message(launch.get()), "`q`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_set_int(launch.get(), nullptr, 1), attnc_launch_message(launch.get()),
                 "`name`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_set_float(launch.get(), nullptr, 1),
                 attnc_launch_message(launch.get()), "`name`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_set_bool(launch.get(), nullptr, 1),
                 attnc_launch_message(launch.get()), "`name`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_set_versioned_tensor(launch.get(), nullptr, nullptr),
                 attnc_launch_message(launch.get()), "`name`: expected a pointer, got NULL");
}

TEST_F(ApiErrors, TensorsThatDLPackDoesNotHave) {
  Tensor q = probe.getQ();
  DLTensor good = q.get(), bad = good;
  bad.ndim = 7;
  EXPECT_EQ(set("q", bad), "`q`: expected 0 to 6 dimensions, got 7");
  bad.ndim = -1;
  EXPECT_EQ(set("q", bad), "`q`: expected 0 to 6 dimensions, got -1");
  bad = good;
  bad.shape = nullptr;
  EXPECT_EQ(set("q", bad), "`q`: expected a shape of 4 dimensions, got NULL");
  const std::string types =
      "`q`: expected elements of f32, f16, bf16, i8, u8, i16, i32, i64 or bool, got code ";
  bad = good;
  bad.dtype.lanes = 4;
  EXPECT_EQ(set("q", bad), types + "2 of 32 bits and 4 lanes of DLPack");
  bad.dtype = {kDLFloat, 64, 1};
  EXPECT_EQ(set("q", bad), types + "2 of 64 bits and 1 lanes of DLPack");
  bad = good;
  bad.device = {kDLCUDA, 0};
  EXPECT_EQ(set("q", bad),
            "`q`: expected memory of the CPU (device type 1 of DLPack), got device type 2");
  // A number that DLPack has no name for.
  const int32_t unknown = 1000;
  std::memcpy(&bad.device.device_type, &unknown, sizeof unknown);
  EXPECT_EQ(set("q", bad),
            "`q`: expected memory of the CPU (device type 1 of DLPack), got device type 1000");
  int64_t huge[] = {int64_t(1) << 30, int64_t(1) << 30, int64_t(1) << 30, 4};
  bad = good;
  bad.shape = huge;
  bad.strides = nullptr;
  EXPECT_EQ(set("q", bad), "`q`: expected fewer than 2^63 elements");
}

TEST_F(ApiErrors, VersionedTensors) {
  Tensor q = probe.getQ(), o = probe.getO();
  struct {
    uint32_t major, minor;
    void *context;
    void (*deleter)(void *);
    uint64_t flags;
    DLTensor tensor;
  } managed{1, 1, nullptr, nullptr, 1, o.get()};
  auto *tensor = reinterpret_cast<const DLManagedTensorVersioned *>(&managed);
  auto message = [&] { return attnc_launch_message(launch.get()); };
  EXPECT_REFUSED(attnc_launch_set_versioned_tensor(launch.get(), "o", tensor), message(),
                 "`o`: expected a tensor that can be written, got one that is marked read-only");
  managed.major = 2;
  EXPECT_REFUSED(attnc_launch_set_versioned_tensor(launch.get(), "o", tensor), message(),
                 "`o`: expected a tensor of version 1 of DLPack, got 2");
  EXPECT_REFUSED(attnc_launch_set_versioned_tensor(launch.get(), "o", nullptr), message(),
                 "`o`: expected a pointer, got NULL");
  managed.major = 1;
  managed.tensor = q.get();
  EXPECT_EQ(attnc_launch_set_versioned_tensor(launch.get(), "q", tensor), ATTNC_OK);
  managed.flags = 0;
  managed.tensor = o.get();
  EXPECT_EQ(attnc_launch_set_versioned_tensor(launch.get(), "o", tensor), ATTNC_OK);
  launch();
  EXPECT_TRUE(probe.isRight());
}

TEST_F(ApiErrors, MissingArguments) {
  attnc_launch_t *empty = nullptr;
  ASSERT_EQ(attnc_launch_create(kernel.get(), &empty), ATTNC_OK);
  EXPECT_REFUSED(attnc_launch_prepare(empty), attnc_launch_message(empty),
                 "`q`: expected a tensor, got none");
  EXPECT_REFUSED(attnc_launch_run(empty, nullptr), attnc_launch_message(empty),
                 "expected a launch that attnc_launch_prepare has prepared");
  attnc_launch_release(empty);
  Launch bare = kernel.bind(probe.getQ(), probe.getK(), probe.getV(), probe.getO());
  EXPECT_STREQ(bare.tryPrepare().message(),
               "`lse`: expected a tensor, as the kernel writes the log-sum-exp, got none");
  bare.set("lse", probe.getLse());
  EXPECT_STREQ(bare.tryPrepare().message(),
               "`doc`: expected a captured tensor of i32[B, KV], got none");
  bare.set("doc", Tensor(probe.doc.data(), {2, 3})).set("pos", Tensor(&probe.pos, {}));
  bare.set("on", Tensor(probe.on, {2, 3}));
  EXPECT_STREQ(bare.tryPrepare().message(), "`cap`: expected a value of type f32, got none");
  bare.set("cap", 1).set("shift", 1).set("flag", false);
  EXPECT_STREQ(bare.tryPrepare().message(),
               "`scale`: expected a value, as the kernel takes it as an argument, got none");
  bare.set("scale", 1);
  EXPECT_TRUE(bare.tryPrepare());
}

// The variant without lse and with a scale of its own.
TEST_F(ApiErrors, ArgumentsOfOtherVariants) {
  Probe eight(8);
  Launch other = eight.bind(kernel);
  other.set("lse", eight.getLse());
  EXPECT_STREQ(other.tryPrepare().message(),
               "`lse`: expected no tensor, as the kernel was compiled without lse, got one");
  launch.set("q", eight.getQ());
  EXPECT_EQ(prepare(), "`q`: expected elements and last dimensions that a kernel was compiled "
                       "for, f32 with head dims 4 and 2; f32 with head dims 8 and 8, got f32 with "
                       "8 and 2");
}

TEST_F(ApiErrors, SizesTypesAndStrides) {
  auto with = [&](const char *name, const Tensor &tensor) {
    Launch fresh = probe.bind(kernel);
    Result<void> result = fresh.trySet(name, tensor);
    return std::string(result ? fresh.tryPrepare().message() : result.message());
  };
  float *q = probe.q.data(), *k = probe.k.data(), *o = probe.o.data();
  EXPECT_EQ(with("q", Tensor(q, {4, 20, 4})),
            "`q`: expected 4 dimensions [B, Hq, Q, 4], got 3 of sizes [4, 20, 4]");
  EXPECT_EQ(with("k", Tensor(reinterpret_cast<bf16 *>(k), {2, 2, 3, 4})),
            "`k`: expected elements of f32, got bf16");
  EXPECT_EQ(with("k", Tensor(k, {1, 2, 3, 4})),
            "`k`: expected size `B` = 2 of `q` for dimension 0, got 1");
  EXPECT_EQ(with("k", Tensor(k, {2, 3, 2, 4})),
            "`v`: expected size `Hkv` = 3 of `k` for dimension 1, got 2");
  launch.set("q", Tensor(q, {2, 3, 20, 4})).set("o", Tensor(o, {2, 3, 20, 2}));
  launch.set("lse", Tensor(probe.lse.data(), {2, 3, 20}));
  EXPECT_EQ(prepare(),
            "`q`: expected a number of heads that is a multiple of the 2 heads of `k`, got 3");
  EXPECT_EQ(with("o", Tensor(o, {2, 4, 19, 2})),
            "`o`: expected size `Q` = 20 of `q` for dimension 2, got 19");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, 20, 4}, {1280, 320, 16, 8})),
            "`q`: expected a stride of 1 of the last dimension, got 2");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, 20, 4}, {1280, 320, -16, 4})),
            "`q`: expected a stride of at least 0 of dimension 2, got -4");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, 20, 4}, {1280, 320, 17, 4})),
            "`q`: expected strides that are multiples of the 4 bytes of an element, got 17");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, 20, 4}, {1280, 320})), "`q`: expected 4 strides, got 2");
  EXPECT_EQ(with("q", Tensor(q, {1, 1, 1, 1, 1, 1, 1})),
            "`q`: expected at most 6 dimensions, got 7");
  EXPECT_EQ(with("q", Tensor(static_cast<float *>(nullptr), {2, 4, 20, 4})),
            "`q`: expected a pointer to 2560 bytes, got null");
  EXPECT_EQ(
      with("q", Tensor(reinterpret_cast<char *>(q) + 1, DataType<float>::value, {2, 4, 20, 4})),
      "`q`: expected data aligned to 4 bytes, got an address 1 past that");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, int64_t(1) << 31, 4})),
            "`q`: expected a size from 0 to 2147483647 of dimension 2, got 2147483648");
  EXPECT_EQ(with("q", Tensor(q, {2, 4, -1, 4})),
            "`q`: expected a stride of at least 0 of dimension 0, got -16");
  constexpr int64_t far = int64_t(1) << 61;
  EXPECT_EQ(with("q", Tensor(q, {2, 4, 20, 4}, {far, far, 16, 4})),
            "`q`: expected elements within 2^63 bytes, got sizes [2, 4, 20, 4] with strides "
            "[576460752303423488, 576460752303423488, 4, 1]");
  EXPECT_EQ(with("o", Tensor(o, {2, 4, 20, 2}, {640, 160, 0, 4})),
            "`o`: expected a stride of at least 1 of dimension 2 as the tensor is written, got 0");
  EXPECT_EQ(with("doc", Tensor(probe.doc.data(), {2, 2})),
            "`doc`: expected size `KV` = 3 of `k` for dimension 1, got 2");
  EXPECT_EQ(with("on", Tensor(probe.on, {1, 3})),
            "`on`: expected size `N + 1` = 2 for dimension 1, got 3");
  EXPECT_EQ(with("on", Tensor(probe.on, {1, 2})), "`on`: expected a size that holds the constant "
                                                  "index 2 for dimension 1, got 2");
}

TEST_F(ApiErrors, OverlappingOutputs) {
  launch.set("o", Tensor(probe.q.data() + 8, {2, 4, 20, 2}));
  EXPECT_EQ(prepare(), "`o`: expected memory of its own, as it is written, got elements that `q` "
                       "has too");
  launch.set("o", probe.getO()).set("lse", Tensor(probe.o.data(), {2, 4, 20}));
  EXPECT_EQ(prepare(), "`o`: expected memory of its own, as it is written, got elements that "
                       "`lse` has too");
  // On a launch that is prepared too, which goes on as it was.
  launch.set("lse", probe.getLse()).prepare();
  EXPECT_STREQ(launch.trySet("q", Tensor(probe.o.data(), {2, 4, 20, 4})).message(),
               "`o`: expected memory of its own, as it is written, got elements that `q` has too");
  launch();
  EXPECT_TRUE(probe.isRight());
}

TEST_F(ApiErrors, Scalars) {
  for (bool isPrepared : {false, true}) {
    if (isPrepared)
      launch.prepare();
    auto message = [&](const char *name, auto value) {
      return std::string(launch.trySet(name, value).message());
    };
    std::string shift = message("shift", 128), cap = message("cap", true),
                flag = message("flag", 1), real = message("shift", 1.5),
                large = message("shift", std::numeric_limits<uint64_t>::max());
    if (isPrepared) {
      EXPECT_EQ(shift, "`shift`: expected an integer from -128 to 127, got 128");
      EXPECT_EQ(cap, "`cap`: expected a number of type f32, got a bool");
      EXPECT_EQ(flag, "`flag`: expected a bool, got a number");
      EXPECT_EQ(real, "`shift`: expected an integer of type i8, got 1.500000");
      EXPECT_EQ(large, "`shift`: expected an integer of type i8, got 18446744073709551616.000000");
      EXPECT_EQ(message("cap", 1e300),
                "`cap`: expected a value in the range of f32, got " + std::to_string(1e300));
    } else {
      // Before it is known which variant runs, they are told of then.
      EXPECT_EQ(shift + cap + flag + real + large, "");
      EXPECT_EQ(prepare(), "`cap`: expected a number of type f32, got a bool");
      launch.set("cap", 1).set("shift", 1).set("flag", false);
    }
    EXPECT_EQ(message("scale", true), "`scale`: expected a number of type f32, got a bool");
    EXPECT_EQ(message("scale", std::numeric_limits<double>::infinity()),
              "`scale`: expected a finite value, got inf");
    EXPECT_EQ(message("scale", std::numeric_limits<double>::quiet_NaN()),
              "`scale`: expected a finite value, got nan");
  }
}

TEST_F(ApiErrors, Workspace) {
  auto message = [&] { return attnc_launch_message(launch.get()); };
  size_t size = 0;
  const char *unprepared = "expected a launch that attnc_launch_prepare has prepared";
  EXPECT_REFUSED(attnc_launch_get_workspace(launch.get(), &size, nullptr), message(), unprepared);
  EXPECT_REFUSED(attnc_launch_allocate_workspace(launch.get()), message(), unprepared);
  EXPECT_REFUSED(attnc_launch_get_variant(launch.get(), &size), message(), unprepared);
  EXPECT_REFUSED(attnc_launch_run_part(launch.get(), 0, 1), message(), unprepared);
  ASSERT_EQ(attnc_launch_prepare(launch.get()), ATTNC_OK);
  EXPECT_REFUSED(attnc_launch_get_workspace(launch.get(), nullptr, nullptr), message(),
                 "`size`: expected a pointer, got NULL");
  EXPECT_REFUSED(attnc_launch_get_variant(launch.get(), nullptr), message(),
                 "`index`: expected a pointer, got NULL");
  const std::string ways = "; attnc_launch_set_workspace and attnc_launch_allocate_workspace give "
                           "one";
  EXPECT_REFUSED(attnc_launch_run(launch.get(), nullptr), message(),
                 "expected a workspace of 256 bytes, got 0" + ways);
  alignas(64) char memory[320];
  EXPECT_REFUSED(attnc_launch_set_workspace(launch.get(), nullptr, 256), message(),
                 "`memory`: expected 256 bytes, got NULL");
  ASSERT_EQ(attnc_launch_set_workspace(launch.get(), memory, 255), ATTNC_OK);
  EXPECT_REFUSED(attnc_launch_run(launch.get(), nullptr), message(),
                 "expected a workspace of 256 bytes, got 255" + ways);
  ASSERT_EQ(attnc_launch_set_workspace(launch.get(), memory + 1, 256), ATTNC_OK);
  EXPECT_REFUSED(attnc_launch_run(launch.get(), nullptr), message(),
                 "expected a workspace at a multiple of 64 bytes");
  ASSERT_EQ(attnc_launch_set_workspace(launch.get(), memory, 256), ATTNC_OK);
  EXPECT_REFUSED(attnc_launch_run(launch.get(), memory), message(),
                 "`stream`: expected NULL on the device `host`");
  EXPECT_REFUSED(attnc_launch_run_part(launch.get(), 0, 3), message(),
                 "`parts`: expected at most the 2 threads of the device, got 3");
  EXPECT_REFUSED(attnc_launch_run_part(launch.get(), 2, 2), message(),
                 "expected a part from 0 to `parts` - 1, got part 2 of 2");
  EXPECT_REFUSED(attnc_launch_run_part(launch.get(), -1, 2), message(),
                 "expected a part from 0 to `parts` - 1, got part -1 of 2");
}

// Wherever memory runs out, for good, a call says so, and can be made again.
TEST_F(ApiErrors, MemoryThatRunsOut) {
#ifdef ATTNC_HAS_THREAD_SANITIZER
  GTEST_SKIP() << "allocations are the sanitizer's";
#endif
  auto expectSaid = [](const char *what, auto call) {
    int64_t count = 0;
    for (;; ++count) {
      attnc_status_t status = ATTNC_OK;
      {
        ScarceMemory scarce(count);
        status = call();
      }
      if (status == ATTNC_OK)
        break;
      ASSERT_EQ(status, ATTNC_OUT_OF_MEMORY) << what << ", after " << count << " allocations";
    }
    EXPECT_GT(count, 0) << what;
  };
  attnc_device_t *opened = nullptr;
  expectSaid("open", [&] { return attnc_device_open("host", nullptr, &opened); });
  attnc_kernel_t *loaded = nullptr;
  const std::string &bytes = getProbe();
  expectSaid("load",
             [&] { return attnc_kernel_load(opened, bytes.data(), bytes.size(), &loaded); });
  attnc_launch_t *created = nullptr;
  expectSaid("create", [&] { return attnc_launch_create(loaded, &created); });
  struct {
    const char *name;
    Tensor tensor;
  } tensors[] = {{"q", probe.getQ()},
                 {"k", probe.getK()},
                 {"v", probe.getV()},
                 {"o", probe.getO()},
                 {"lse", probe.getLse()},
                 {"doc", Tensor(probe.doc.data(), {2, 3})},
                 {"pos", Tensor(&probe.pos, {})},
                 {"on", Tensor(probe.on, {2, 3})}};
  for (auto &[name, tensor] : tensors) {
    DLTensor view = tensor.get();
    expectSaid(name, [&, name = name] { return attnc_launch_set_tensor(created, name, &view); });
  }
  expectSaid("cap", [&] { return attnc_launch_set_float(created, "cap", probe.cap); });
  expectSaid("shift", [&] { return attnc_launch_set_int(created, "shift", probe.shift); });
  expectSaid("flag", [&] { return attnc_launch_set_bool(created, "flag", probe.flag); });
  expectSaid("scale", [&] { return attnc_launch_set_float(created, "scale", probe.scale); });
  expectSaid("prepare", [&] { return attnc_launch_prepare(created); });
  attnc_plan_t *plan = nullptr;
  expectSaid("plan", [&] { return attnc_plan_create(created, nullptr, &plan); });
  ASSERT_EQ(attnc_launch_allocate_workspace(created), ATTNC_OK);
  ASSERT_EQ(attnc_launch_run(created, nullptr), ATTNC_OK);
  EXPECT_TRUE(probe.isRight());
  EXPECT_EQ(attnc_plan_release(plan), ATTNC_OK);
  EXPECT_EQ(attnc_launch_release(created), ATTNC_OK);
  EXPECT_EQ(attnc_kernel_release(loaded), ATTNC_OK);
  EXPECT_EQ(attnc_device_release(opened), ATTNC_OK);
}

// C++ callers that do not look at results get an exception.
TEST_F(ApiErrors, Exceptions) {
  try {
    launch.set("doc", 1);
    FAIL() << "expected an exception";
  } catch (const Error &error) {
    EXPECT_EQ(error.status(), ATTNC_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "`doc`: expected a tensor, got a number");
  }
  EXPECT_THROW(Device::open("nothing"), Error);
  EXPECT_THROW(Kernel::loadFile(device, "/nowhere"), Error);
  EXPECT_THROW(kernel.variant(7), Error);
}
