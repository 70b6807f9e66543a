//===- JitTest.cpp - Tests of compiling through the API -------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "attnc/compiler.h"
#include "test/unit/api/FakeGpu.h"
#include <atomic>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>

using namespace attnc;

namespace {
/// What these tests compile is not kept.
const bool isCacheOff = [] {
  attnc_cache_options_t options{};
  options.struct_size = sizeof options;
  options.folder = "";
  return attnc_cache_configure(&options) == ATTNC_OK;
}();

constexpr int64_t heads = 2, length = 40, dim = 8;

/// Runs causal attention with `window` and compares it with the textbook's; the largest difference.
double runWindow(const Kernel &kernel, int window) {
  std::vector<float> q(heads * length * dim), k(q.size()), v(q.size()), o(q.size());
  for (size_t i = 0; i < q.size(); ++i) {
    q[i] = std::sin(static_cast<float>(i));
    k[i] = std::cos(static_cast<float>(i));
    v[i] = std::sin(0.3f * static_cast<float>(i));
  }
  auto view = [](std::vector<float> &data) { return bhsd(data.data(), 1, heads, length, dim); };
  kernel.bind(view(q), view(k), view(v), view(o))();
  double worst = 0;
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t i = 0; i < length; ++i) {
      double sum = 0, out[dim] = {};
      for (int64_t j = std::max<int64_t>(i - window + 1, 0); j <= i; ++j) {
        double score = 0;
        for (int64_t d = 0; d < dim; ++d)
          score += double(q[(h * length + i) * dim + d]) * k[(h * length + j) * dim + d];
        double weight = std::exp(score / std::sqrt(dim));
        sum += weight;
        for (int64_t d = 0; d < dim; ++d)
          out[d] += weight * v[(h * length + j) * dim + d];
      }
      for (int64_t d = 0; d < dim; ++d)
        worst = std::max(worst, std::fabs(out[d] / sum - o[(h * length + i) * dim + d]));
    }
  return worst;
}

const std::string program = "window: i32 = 5\n"
                            "mask_mod = and_masks(causal, sliding_window(window))\n";

/// A source for C that is right.
attnc_source_t makeSource(const char *text) {
  attnc_source_t source{};
  source.struct_size = sizeof source;
  source.text = text;
  source.dtypes = "f32";
  source.head_dims = "8";
  return source;
}
} // namespace

TEST(Jit, CompilesAndRuns) {
  ASSERT_TRUE(isCacheOff);
  Kernel kernel = jit(program, {"f32", "8"}, Device::host(2));
  EXPECT_STREQ(kernel.variant(0).name, "attn_f32_d8");
  EXPECT_LT(runWindow(kernel, 5), 1e-5);
}

TEST(Jit, TakesOptions) {
  Options options;
  options.dtypes = "f32,bf16";
  options.headDims = "8,16:32";
  options.lse = true;
  options.name = "mods/window.attn";
  options.defines = {"window=9"};
  Kernel kernel = jit(program, options, Device::host(1));
  ASSERT_EQ(kernel.variantCount(), 4u);
  std::string names;
  for (size_t i = 0; i < 4; ++i)
    names += std::string(kernel.variant(i).name) + (kernel.variant(i).has_lse ? "+lse " : " ");
  EXPECT_EQ(names, "window_f32_d8+lse window_f32_d16x32+lse window_bf16_d8+lse "
                   "window_bf16_d16x32+lse ");
  options.lse = false;
  EXPECT_LT(runWindow(jit(program, options, Device::host(1)), 9), 1e-5);
}

TEST(Jit, ProgramsThatAreWrong) {
  Options options;
  options.name = "mods/window.attn";
  Result<Kernel> result = tryJit("mask_mod = cusal\n", options, Device::host(1));
  EXPECT_EQ(result.status(), ATTNC_COMPILE_FAILED);
  EXPECT_STREQ(result.message(), "mods/window.attn:1:12: error: unknown name `cusal`\n"
                                 "mask_mod = cusal\n"
                                 "           ^~~~~ did you mean `causal`?\n");
  EXPECT_THROW(jit("mask_mod = cusal\n", options, Device::host(1)), Error);
}

TEST(Jit, OptionsThatAreWrong) {
  auto fail = [](const Options &options) {
    Result<Kernel> result = tryJit("", options, Device::host(1));
    EXPECT_EQ(result.status(), ATTNC_INVALID_ARGUMENT);
    return std::string(result.message());
  };
  EXPECT_EQ(fail({"f33"}), "`--dtype` expects f32, f16 or bf16, or several with commas, got `f33`");
  EXPECT_NE(fail({"f32", "0"}).find("`--head-dim` expects D or D:Dv"), std::string::npos);
  Options options{"f32", "8"};
  options.defines = {"window"};
  EXPECT_EQ(fail(options), "`-D` expects NAME=VALUE, got `window`");
  options.defines = {"window=3"};
  EXPECT_NE(fail(options).find("the program has no constant `window`"), std::string::npos);
  options.defines = {};
  options.approximate = "tahn";
  EXPECT_NE(fail(options).find("did you mean `tanh`?"), std::string::npos);
}

TEST(Jit, SourcesThatAreWrong) {
  Device device = Device::host(1);
  attnc_kernel_t *kernel = nullptr;
  auto fail = [&](const attnc_source_t *source) {
    EXPECT_EQ(attnc_kernel_compile(device.get(), source, &kernel), ATTNC_INVALID_ARGUMENT);
    EXPECT_EQ(kernel, nullptr);
    return std::string(attnc_device_message(device.get()));
  };
  EXPECT_EQ(fail(nullptr), "`source`: expected a pointer, got NULL");
  attnc_source_t source = makeSource(nullptr);
  EXPECT_EQ(fail(&source), "`text`: expected a program, got NULL");
  source = makeSource("");
  source.struct_size = 8;
  EXPECT_EQ(fail(&source), "`source`: expected a struct_size of at least 80, got 8");
  source = makeSource("");
  source.define_count = 1;
  EXPECT_EQ(fail(&source), "`defines`: expected 1 texts, got NULL");
  const char *defines[] = {nullptr};
  source.defines = defines;
  EXPECT_EQ(fail(&source), "`defines`: expected texts, got NULL at 0");
  source = makeSource("");
  EXPECT_EQ(attnc_kernel_compile(device.get(), &source, nullptr), ATTNC_INVALID_ARGUMENT);
  EXPECT_STREQ(attnc_device_message(device.get()), "`kernel`: expected a pointer, got NULL");
  struct {
    attnc_source_t source;
    int64_t more;
  } later{makeSource(""), 1};
  later.source.struct_size = sizeof later;
  EXPECT_EQ(fail(&later.source), "`source`: has members that need version 2 of the library or "
                                 "later");
  later.source.struct_size = SIZE_MAX;
  EXPECT_EQ(fail(&later.source),
            "`source`: expected a struct_size of at most 4096, got 18446744073709551615");
}

// The library alone, for code that others launch.
TEST(Jit, CodeForOtherTargets) {
  attnc_source_t source = makeSource("mask_mod = causal\n");
  auto compile = [&](const char *target) {
    attnc_code_t code{};
    code.struct_size = sizeof code;
    attnc_status_t status = attnc_compile(&source, target, &code);
    std::string text = status == ATTNC_OK
                           ? std::string(static_cast<const char *>(code.bytes), code.size)
                           : std::string(attnc_status_name(status)) + ": " + code.messages;
    attnc_code_release(&code);
    EXPECT_EQ(code.bytes, nullptr);
    attnc_code_release(&code);
    return text;
  };
  EXPECT_EQ(compile("host:x86-64").substr(1, 3), "ELF");
  EXPECT_NE(compile("sm_90").find(".target sm_90"), std::string::npos);
  EXPECT_NE(compile("gpu:8.6").find(".target sm_8"), std::string::npos);
  const std::string form = compile("attn");
  EXPECT_NE(form.find("attn.kernel @attn_f32_d8 "), std::string::npos) << form;
  source.text = "# The same.\nmask_mod = causal";
  EXPECT_EQ(compile("attn"), form);
  source.text = "mask_mod = causal\n";
  EXPECT_EQ(compile("gpu:5.0").substr(0, 19), "ATTNC_UNAVAILABLE: ");
  EXPECT_NE(compile("sm_1").find("ATTNC_INVALID_ARGUMENT: `--arch` expects"), std::string::npos);
  EXPECT_NE(compile("host:z9").find("ATTNC_INVALID_ARGUMENT: `--cpu` expects"), std::string::npos);
  attnc_code_t code{};
  EXPECT_EQ(attnc_compile(&source, "host", &code), ATTNC_INVALID_ARGUMENT);
  EXPECT_EQ(attnc_compile(&source, "host", nullptr), ATTNC_INVALID_ARGUMENT);
  attnc_code_release(nullptr);
}

TEST(Jit, RunsInTheEmulator) {
  EXPECT_LT(runWindow(jit(program, {"f32", "8"}, Device::open("emulator")), 5), 1e-5);
}

// The struct of an earlier header, behind which anything may lie.
TEST(Jit, SourceOfAnEarlierHeader) {
  attnc_source_t source = makeSource("mask_mod = causal\n");
  source.struct_size = offsetof(attnc_source_t, products);
  source.products = "no text of ours";
  Device device = Device::host(1);
  attnc_kernel_t *kernel = nullptr;
  EXPECT_EQ(attnc_kernel_compile(device.get(), &source, &kernel), ATTNC_OK);
  EXPECT_EQ(attnc_kernel_release(kernel), ATTNC_OK);
  attnc_code_t code{};
  code.struct_size = sizeof code;
  EXPECT_EQ(attnc_compile(&source, "sm_80", &code), ATTNC_OK);
  attnc_code_release(&code);
}

// Products of f32 on tensor cores are for GPUs and f32.
TEST(Jit, ProductsOfTf32) {
  Options options{"f32", "8"};
  for (const char *products : {"tf32", "tf32x3"}) {
    options.products = products;
    EXPECT_LT(runWindow(jit(program, options, Device::open("emulator")), 5), 2e-3);
    Result<Kernel> result = tryJit(program, options, Device::host(1));
    EXPECT_EQ(result.status(), ATTNC_UNAVAILABLE);
    EXPECT_EQ(std::string(result.message()),
              "`products`: expected a GPU for `" + std::string(products) + "`, got the host");
    DeviceKernel list = jit(program, options, "host,emulator");
    EXPECT_STREQ(list.device.info().name, "emulator");
  }
  options.dtypes = "bf16";
  Result<Kernel> result = tryJit(program, options, Device::open("emulator"));
  EXPECT_EQ(result.status(), ATTNC_INVALID_ARGUMENT);
  EXPECT_STREQ(result.message(), "`--tf32x3` expects `--dtype f32`, got `bf16`");
  options.products = "f16";
  Result<Kernel> other = tryJit(program, options, Device::open("emulator"));
  EXPECT_EQ(other.status(), ATTNC_INVALID_ARGUMENT);
  EXPECT_STREQ(other.message(), "`products`: expected \"tf32\" or \"tf32x3\", got `f16`");

  attnc_source_t source = makeSource("mask_mod = causal\n");
  source.products = "tf32";
  attnc_code_t code{};
  code.struct_size = sizeof code;
  ASSERT_EQ(attnc_compile(&source, "sm_80", &code), ATTNC_OK);
  std::string ptx(static_cast<const char *>(code.bytes), code.size);
  EXPECT_NE(ptx.find("\"products\":\"tf32\""), std::string::npos);
  attnc_code_release(&code);
}

// One query against many keys: several splits of them, which leave their sums in a workspace that
// is made once.
TEST(Jit, SplitsKeysOnGpus) {
  test::FakeGpu gpu;
  Kernel kernel = jit("", {"f32", "16"}, Device::open("cuda"));
  constexpr int64_t keys = 600;
  std::vector<float> q(16), k(keys * 16), v(keys * 16), o(16);
  for (size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<float>(i / 16);
  float *out = gpu.upload(o);
  Launch launch = kernel.bind(
      bhsd(gpu.upload(q), 1, 1, 1, 16).onGpu(), bhsd(gpu.upload(k), 1, 1, keys, 16).onGpu(),
      bhsd(gpu.upload(v), 1, 1, keys, 16).onGpu(), bhsd(out, 1, 1, 1, 16).onGpu());
  launch.prepare();
  size_t size = 0, alignment = 0;
  EXPECT_EQ(attnc_launch_get_workspace(launch.get(), &size, &alignment), ATTNC_OK);
  EXPECT_EQ(alignment, 16u);
  std::string allocated = "cuMemAlloc " + std::to_string(size) + "\n", log = gpu.getLog();
  if (gpu.isFake()) {
    EXPECT_EQ(log.substr(log.size() - allocated.size()), allocated);
  }
  for (int i = 0; i < 3; ++i)
    launch();
  gpu.download(out, o);
  for (float x : o)
    EXPECT_NEAR(x, (keys - 1) / 2.0, 1e-3);
  if (!gpu.isFake())
    return;
  std::string launches = gpu.getLog().substr(log.size());
  EXPECT_EQ(launches.find("cuMemAlloc"), std::string::npos) << launches;
  size_t count = 0;
  for (const char *entry : {"attn_f32_d16_short: grid 4 ", "attn_f32_d16_combine: grid 1 "})
    for (size_t place = 0; (place = launches.find(entry, place)) != std::string::npos; ++place)
      ++count;
  EXPECT_EQ(count, 6u) << launches;
}

// Where no memory is left for the workspace, the launch says so and can be tried again.
TEST(Jit, WorkspaceThatCannotBeHad) {
  test::FakeGpu gpu;
  ATTNC_NEEDS_FAKE(gpu);
  Kernel kernel = jit("", {"f32", "16"}, Device::open("cuda"));
  std::vector<float> data(600 * 16);
  auto view = [&](int64_t rows) { return bhsd(gpu.upload(data), 1, 1, rows, 16).onGpu(); };
  Launch launch = kernel.bind(view(1), view(600), view(600), view(1));
  gpu.failNext("cuMemAlloc", 2);
  Result<void> result = launch.tryRun();
  EXPECT_EQ(result.status(), ATTNC_OUT_OF_MEMORY);
  EXPECT_STREQ(result.message(), "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  gpu.set("FAKE_CUDA_FAIL", "");
  EXPECT_TRUE(launch.tryRun());
}

// The first device of a list that can run the program, and why not those before it.
TEST(Jit, ChoosesADevice) {
  test::FakeGpu gpu;
  ATTNC_NEEDS_FAKE(gpu);
  DeviceKernel first = jit(program, {"f32", "8"}, "auto");
  EXPECT_STREQ(first.device.info().name, "cuda");
  EXPECT_STREQ(first.device.info().passed_over, "");
  EXPECT_STREQ(first.kernel.variant(0).arch, "sm_80");
  // No kernel for GPUs has such rows.
  DeviceKernel wide = jit(program, {"f32", "300"}, "cuda:7,cuda,host");
  EXPECT_STREQ(wide.device.info().name, "host");
  const std::string reasons = wide.device.info().passed_over;
  EXPECT_EQ(reasons.substr(0, reasons.find("attn.attn")),
            "`cuda:7`: expected a GPU from 0 to 0, got 7\n`cuda`: ");
  EXPECT_NE(reasons.find("expected a head dim of at most 256 in a kernel for GPUs, got 300"),
            std::string::npos)
      << reasons;
  EXPECT_EQ(wide.kernel.variant(0).head_dim, 300);
  gpu.set("FAKE_CUDA_DEVICES", "0");
  DeviceKernel host = jit(program, {"f32", "8"}, "auto");
  EXPECT_STREQ(host.device.info().passed_over, "`cuda`: the driver has no device");
  EXPECT_LT(runWindow(host.kernel, 5), 1e-5);
}

TEST(Jit, NoDeviceCanRunIt) {
  test::FakeGpu gpu;
  ATTNC_NEEDS_FAKE(gpu);
  auto fail = [](const std::string &text, const Options &options, const char *devices) {
    Result<DeviceKernel> result = tryJit(text, options, devices);
    EXPECT_FALSE(result) << devices;
    return std::string(attnc_status_name(result.status())) + ": " + result.message();
  };
  // A device alone gives its own error.
  const std::string wide = fail(program, {"f32", "300"}, "cuda");
  EXPECT_EQ(wide.substr(0, wide.find("attn.attn")), "ATTNC_COMPILE_FAILED: ");
  const std::string none = fail(program, {"f32", "300"}, "cuda:7,cuda");
  const std::string start = "ATTNC_COMPILE_FAILED: none of `cuda:7,cuda` can run this:\n"
                            "`cuda:7`: expected a GPU from 0 to 0, got 7\n"
                            "`cuda`: attn.attn:";
  EXPECT_EQ(none.substr(0, start.size()), start);
  // What is wrong with the program is wrong on all; other errors end the search.
  EXPECT_NE(fail("mask_mod = cusal", {"f32", "8"}, "auto").find("unknown name `cusal`"),
            std::string::npos);
  EXPECT_EQ(fail(program, {"f31", "8"}, "auto").substr(0, 40),
            "ATTNC_INVALID_ARGUMENT: `--dtype` expect");
  EXPECT_EQ(fail(program, {"f32", "8"}, "cuda:7,hosts"),
            "ATTNC_INVALID_ARGUMENT: expected a device of host, cuda, cuda:N, emulator or auto, "
            "got `hosts`");
  gpu.failNext("cuModuleLoadDataEx", 2);
  EXPECT_EQ(fail(program, {"f32", "8"}, "auto"),
            "ATTNC_OUT_OF_MEMORY: cuModuleLoadDataEx: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  gpu.set("FAKE_CUDA_FAIL", "");

  attnc_source_t source = makeSource("mask_mod = causal\n");
  attnc_device_t *device = nullptr;
  attnc_kernel_t *kernel = nullptr;
  auto refuse = [&](attnc_status_t status) {
    EXPECT_EQ(status, ATTNC_INVALID_ARGUMENT);
    EXPECT_EQ(device, nullptr);
    EXPECT_EQ(kernel, nullptr);
    return std::string(attnc_device_message(nullptr));
  };
  attnc_device_options_t options{};
  EXPECT_EQ(refuse(attnc_kernel_compile_on(nullptr, nullptr, &source, &device, &kernel)),
            "`devices`: expected a pointer, got NULL");
  EXPECT_EQ(refuse(attnc_kernel_compile_on("auto", nullptr, nullptr, &device, &kernel)),
            "`source`: expected a pointer, got NULL");
  EXPECT_EQ(refuse(attnc_kernel_compile_on("auto", nullptr, &source, nullptr, &kernel)),
            "`device`: expected a pointer, got NULL");
  EXPECT_EQ(refuse(attnc_kernel_compile_on("auto", nullptr, &source, &device, nullptr)),
            "`kernel`: expected a pointer, got NULL");
  EXPECT_EQ(refuse(attnc_kernel_compile_on("auto", &options, &source, &device, &kernel)),
            "`options`: expected a struct_size of at least 32, got 0");
  EXPECT_EQ(refuse(attnc_kernel_load_file_on("auto", nullptr, nullptr, nullptr, &device, &kernel)),
            "`path`: expected a pointer, got NULL");
}

// A file that has nothing for a device passes it over.
TEST(Jit, ChoosesADeviceForAFile) {
  test::FakeGpu gpu;
  ATTNC_NEEDS_FAKE(gpu);
  const std::string path = testing::TempDir() + "attnc-choice.so";
  attnc_source_t source = makeSource(program.c_str());
  attnc_code_t code{};
  code.struct_size = sizeof code;
  ASSERT_EQ(attnc_compile(&source, "host", &code), ATTNC_OK);
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char *>(code.bytes), static_cast<std::streamsize>(code.size));
  attnc_code_release(&code);
  DeviceKernel chosen = DeviceKernel::loadFile("auto", path.c_str());
  EXPECT_STREQ(chosen.device.info().name, "host");
  EXPECT_EQ(chosen.device.info().passed_over,
            "`cuda`: " + path + ": expected PTX or a cubin, got a host image");
  EXPECT_LT(runWindow(chosen.kernel, 5), 1e-5);
  EXPECT_EQ(DeviceKernel::tryLoadFile("cuda,emulator", path.c_str()).status(),
            ATTNC_INVALID_KERNEL);
  // A file that is not there is missing for all.
  EXPECT_EQ(DeviceKernel::tryLoadFile("auto", "/nowhere/x.so").message(),
            std::string("none of `auto` can run this:\n"
                        "`cuda`: /nowhere/x.so: cannot read: No such file or directory\n"
                        "`host`: /nowhere/x.so: cannot read: No such file or directory"));
  std::remove(path.c_str());
}

TEST(Jit, ManyThreadsCompile) {
  Device device = Device::host(1);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 1; t <= 8; ++t)
    threads.emplace_back([&, t] {
      Options options{"f32", "8"};
      options.defines = {"window=" + std::to_string(t)};
      wrong += runWindow(jit(program, options, device), t) > 1e-5;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}
