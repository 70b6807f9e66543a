//===- EmulatorDevice.cpp - The emulator as a device ----------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/EmulatorDevice.h"
#include "runtime/GpuCode.h"
#include "runtime/SharedLibrary.h"
#include "runtime/emulator/EmulatorLibrary.h"
#include <mutex>

using namespace attnc;
using namespace attnc::api;

static constexpr const char *libraryName = "libattnc_emulator.so.1";
/// Of the GPU that the emulator stands for, an A100.
static constexpr int32_t multiprocessors = 108;
static constexpr int32_t capabilityMajor = 8, capabilityMinor = 0;

namespace {
/// The functions of the library, or why there are none.
struct Library {
  decltype(&attnc_emulator_load) load = nullptr;
  decltype(&attnc_emulator_run) run = nullptr;
  decltype(&attnc_emulator_release) release = nullptr;
  std::string problem;

  Library() {
    SharedLibrary library;
    if (std::optional<std::string> missing = library.load(libraryName)) {
      problem = *missing;
      return;
    }
    decltype(&attnc_emulator_version) version = nullptr;
    if (!library.find("attnc_emulator_version", version) ||
        !library.find("attnc_emulator_load", load) || !library.find("attnc_emulator_run", run) ||
        !library.find("attnc_emulator_release", release))
      problem = std::string(libraryName) + " is not an emulator of attnc";
    else if (std::string_view(version()) != ATTNC_VERSION)
      problem =
          std::string(libraryName) + " is of version " + version() + ", expected " ATTNC_VERSION;
  }

  static const Library &get() {
    static const Library library;
    return library;
  }
};

/// Takes the library's messages.
void keepText(void *context, const char *message) {
  *static_cast<std::string *>(context) = message;
}

class EmulatorVariant : public Variant {
public:
  EmulatorVariant(GpuKernel code, std::string arch, attnc_emulator_kernel_t *emulated,
                  int32_t threads)
      : Variant(code.info), kernel(std::move(code)), arch(std::move(arch)), emulated(emulated),
        threads(threads) {}
  ~EmulatorVariant() override { Library::get().release(emulated); }

  std::string getArch() const override { return arch; }

  Result plan(const BoundArguments &arguments, const std::shared_ptr<const Plan> &,
              LaunchPlan &plan) const override {
    plan = {};
    GpuLaunch launch;
    if (std::optional<std::string> error =
            planLaunch(kernel, arguments, chooseSplits(kernel, arguments, multiprocessors), launch))
      return invalidArgument(*error);
    return std::nullopt;
  }

  Result run(const BoundArguments &arguments, const LaunchPlan &, void *,
             void *stream) const override {
    if (stream)
      return invalidArgument("`stream`: expected NULL on the device `emulator`");
    std::lock_guard<std::mutex> lock(mutex);
    std::string message;
    switch (Library::get().run(emulated, arguments.slots.data(), arguments.slots.size(),
                               multiprocessors, threads, keepText, &message)) {
    case ATTNC_EMULATOR_OK:
      return std::nullopt;
    case ATTNC_EMULATOR_FAULT:
      return Failure{ATTNC_DEVICE_FAILED, message};
    case ATTNC_EMULATOR_IMPOSSIBLE:
      break;
    }
    return Failure{ATTNC_OUT_OF_MEMORY, message};
  }

private:
  GpuKernel kernel;
  std::string arch;
  attnc_emulator_kernel_t *emulated;
  int32_t threads;
  mutable std::mutex mutex; ///< held while `emulated` runs
};
} // namespace

Result EmulatorDevice::open(const attnc_device_options_t &options,
                            std::shared_ptr<Device> &device) {
  if (const Library &library = Library::get(); !library.problem.empty())
    return Failure{ATTNC_UNAVAILABLE, "`emulator`: " + library.problem};
  auto emulator = std::make_shared<EmulatorDevice>();
  emulator->name = "emulator";
  emulator->threads = options.threads > 0 ? options.threads : getDefaultThreads();
  emulator->description =
      "emulated GPU, compute capability 8.0, on " + std::to_string(emulator->threads) + " threads";
  device = std::move(emulator);
  return std::nullopt;
}

attnc_device_info_t EmulatorDevice::getInfo() const {
  attnc_device_info_t info{};
  info.dl_device = {kDLCPU, 0};
  info.threads = threads;
  info.multiprocessors = multiprocessors;
  info.major = capabilityMajor;
  info.minor = capabilityMinor;
  return info;
}

Result EmulatorDevice::checkPlace(DLDevice place) const {
  if (getDeviceType(place) == kDLCPU)
    return std::nullopt;
  return invalidArgument("expected memory of the CPU (device type " + std::to_string(kDLCPU) +
                         " of DLPack), which the emulator copies, got device type " +
                         std::to_string(getDeviceType(place)));
}

std::optional<int64_t> EmulatorDevice::rate(const PackagedCode &code) const {
  if (code.form == CodeForm::Cubin)
    return std::nullopt;
  return rateGpuCode(code, capabilityMajor, capabilityMinor);
}

Result EmulatorDevice::load(std::string_view bytes,
                            std::vector<std::unique_ptr<Variant>> &variants) {
  auto fail = [](std::string message) { return Failure{ATTNC_INVALID_KERNEL, std::move(message)}; };
  if (describeBytes(bytes) != "PTX")
    return fail("expected PTX, which the emulator runs, got " + describeBytes(bytes));
  GpuCode code;
  if (std::optional<std::string> error = readGpuCode(bytes, code))
    return fail(*error);
  if (std::optional<std::string> error = checkArch(code, capabilityMajor, capabilityMinor))
    return fail(*error);
  for (GpuKernel &kernel : code.kernels) {
    std::string message;
    attnc_emulator_kernel_t *emulated = Library::get().load(
        bytes.data(), bytes.size(), kernel.info.name.c_str(), keepText, &message);
    if (!emulated)
      return fail(message);
    variants.push_back(
        std::make_unique<EmulatorVariant>(std::move(kernel), code.arch, emulated, threads));
  }
  return std::nullopt;
}

Result EmulatorDevice::allocate(size_t, void *&memory) {
  memory = nullptr;
  return std::nullopt;
}

void EmulatorDevice::release(void *) {}
