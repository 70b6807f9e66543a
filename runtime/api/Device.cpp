//===- Device.cpp - What kernels run on -----------------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#include "runtime/api/Device.h"
#include "attnc/DeviceList.h"
#include "runtime/GpuCode.h"
#include "runtime/api/CudaDevice.h"
#include "runtime/api/EmulatorDevice.h"
#include "runtime/api/HostDevice.h"
#include "runtime/host/HostImage.h"

using namespace attnc;
using namespace attnc::api;

Result Variant::runPart(const BoundArguments &, const LaunchPlan &, void *, int32_t,
                        int32_t) const {
  return invalidArgument("parts of launches run on the device `host` alone");
}

Result Device::openOne(std::string_view name, const attnc_device_options_t &options,
                       std::shared_ptr<Device> &device) {
  if (options.threads < 0)
    return invalidArgument("`threads`: expected at least 0, got " +
                           std::to_string(options.threads));
  if (name == "host")
    return HostDevice::open(options, device);
  if (name == "emulator")
    return EmulatorDevice::open(options, device);
  constexpr std::string_view cuda = "cuda";
  if (name.substr(0, cuda.size()) == cuda)
    return CudaDevice::open(name, device);
  return invalidArgument("expected a device of host, cuda, cuda:N, emulator or auto, got `" +
                         std::string(name) + "`");
}

/// Whether a device is missing or no kernel for it can be made, as against what is wrong whatever
/// the device.
static bool isReason(const Failure &failure, bool isOfKernel) {
  switch (failure.status) {
  case ATTNC_UNAVAILABLE:
    return true;
  case ATTNC_INVALID_KERNEL:
  case ATTNC_COMPILE_FAILED:
    return isOfKernel;
  default:
    return false;
  }
}

Result Device::open(std::string_view name, const attnc_device_options_t &options,
                    std::shared_ptr<Device> &device, const MakeKernel &makeKernel) {
  std::vector<std::string_view> names = splitDeviceList(name);
  bool isList = names.size() > 1;
  if (options.parallel_for && !isList && name != "host")
    return invalidArgument("`parallel_for`: expected the device `host`, got `" + std::string(name) +
                           "`");
  std::string passedOver;
  attnc_status_t status = ATTNC_UNAVAILABLE; // of the last one
  for (std::string_view one : names) {
    std::shared_ptr<Device> opened;
    Result failure = openOne(one, options, opened);
    bool isOfKernel = !failure && makeKernel;
    if (isOfKernel)
      failure = makeKernel(opened);
    if (!failure) {
      opened->passedOver = passedOver;
      device = std::move(opened);
      return std::nullopt;
    }
    // A name or an option that is wrong is not a device that is missing.
    if (!isList || !isReason(*failure, isOfKernel))
      return failure;
    status = failure->status;
    passedOver += (passedOver.empty() ? "" : "\n") +
                  (isOfKernel ? "`" + std::string(one) + "`: " : "") + failure->message;
  }
  return Failure{status, "none of `" + std::string(name) + "` " +
                             (makeKernel ? "can run this" : "is there") + ":\n" + passedOver};
}

std::optional<int64_t> api::rateGpuCode(const PackagedCode &code, int major, int minor) {
  std::optional<GpuArch> arch = parseGpuArch(code.target);
  GpuCode file;
  file.isCubin = code.form == CodeForm::Cubin;
  file.arch = code.target;
  if (code.form == CodeForm::HostImage || !arch || checkArch(file, major, minor))
    return std::nullopt;
  return 4 * int64_t(arch->capability) + (arch->isSpecific ? 2 : 0) + (file.isCubin ? 1 : 0);
}

std::string api::describeBytes(std::string_view bytes) {
  constexpr std::string_view elf = "\177ELF";
  if (isPackage(bytes))
    return "a package";
  if (isHostImage(bytes))
    return "a host image";
  if (isCubin(bytes))
    return "a cubin";
  if (bytes.substr(0, elf.size()) == elf)
    return "an object file";
  if (bytes.find(".version") != std::string_view::npos)
    return "PTX";
  return bytes.empty() ? "nothing" : "something else";
}
