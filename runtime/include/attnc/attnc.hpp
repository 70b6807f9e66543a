//===- attnc.hpp - Compiled attention kernels, from C++ ---------*- C++ -*-===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

//
// attnc.h for C++17: handles that release themselves, errors as exceptions or as results, tensors
// from pointers and sizes. What functions do and which threads may call them is said there.
//
// Each function that can fail comes twice: open() throws attnc::Error, tryOpen() returns a
// Result. Where exceptions are off, the first one ends the process with the message.
//
//===------------------------------------------------------------------------===//

#ifndef ATTNC_ATTNC_HPP
#define ATTNC_ATTNC_HPP

#include "attnc/attnc.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace attnc {

//===------------------------------------------------------------------------===//
// Errors
//===------------------------------------------------------------------------===//

/// Why a call failed.
class Error : public std::exception {
public:
  Error(attnc_status_t status, std::string message)
      : code(status), text(std::make_shared<const std::string>(std::move(message))) {}
  /// No error; allocates nothing.
  Error() noexcept : code(ATTNC_OK) {}

  attnc_status_t status() const noexcept { return code; }
  const char *what() const noexcept override { return text ? text->c_str() : ""; }

private:
  attnc_status_t code;
  std::shared_ptr<const std::string> text; // copies of an exception must not throw
};

namespace detail {
[[noreturn]] inline void fail(const Error &error) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
  throw error;
#else
  std::fprintf(stderr, "attnc: %s\n", error.what());
  std::abort();
#endif
}
} // namespace detail

/// A value, or why there is none. A Result<void> has no value.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : held(std::make_unique<T>(std::move(value))) {}
  Result(Error error) : why(std::move(error)) {}

  explicit operator bool() const noexcept { return held != nullptr; }
  attnc_status_t status() const noexcept { return why.status(); }
  /// "" if there is a value.
  const char *message() const noexcept { return why.what(); }

  T &operator*() { return *held; }
  T *operator->() { return held.get(); }
  /// The value; fails as functions without `try` do if there is none.
  T take() {
    if (!held)
      detail::fail(why);
    return std::move(*held);
  }

private:
  std::unique_ptr<T> held;
  Error why;
};

template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : why(std::move(error)) {}

  explicit operator bool() const noexcept { return why.status() == ATTNC_OK; }
  attnc_status_t status() const noexcept { return why.status(); }
  const char *message() const noexcept { return why.what(); }
  void take() const {
    if (why.status() != ATTNC_OK)
      detail::fail(why);
  }

private:
  Error why;
};

//===------------------------------------------------------------------------===//
// Tensors
//===------------------------------------------------------------------------===//

/// Elements that C++17 has no type for, as their bits.
struct f16 {
  uint16_t bits;
};
struct bf16 {
  uint16_t bits;
};

/// The element type of a C++ type. Specialise it for half-precision types of your own.
template <typename T> struct DataType;
namespace detail {
template <typename T, uint8_t Code> struct DataTypeOf {
  static constexpr DLDataType value{Code, 8 * sizeof(T), 1};
};
} // namespace detail
template <> struct DataType<float> : detail::DataTypeOf<float, kDLFloat> {};
template <> struct DataType<f16> : detail::DataTypeOf<f16, kDLFloat> {};
template <> struct DataType<bf16> : detail::DataTypeOf<bf16, kDLBfloat> {};
template <> struct DataType<int8_t> : detail::DataTypeOf<int8_t, kDLInt> {};
template <> struct DataType<uint8_t> : detail::DataTypeOf<uint8_t, kDLUInt> {};
template <> struct DataType<int16_t> : detail::DataTypeOf<int16_t, kDLInt> {};
template <> struct DataType<int32_t> : detail::DataTypeOf<int32_t, kDLInt> {};
template <> struct DataType<int64_t> : detail::DataTypeOf<int64_t, kDLInt> {};
template <> struct DataType<bool> : detail::DataTypeOf<bool, 6 /* kDLBool */> {};

/// A view of memory that somebody else owns.
class Tensor {
public:
  static constexpr int maxRank = 6;
  using Sizes = std::initializer_list<int64_t>;

  /// `sizes` of elements in row-major order without gaps.
  Tensor(void *data, DLDataType type, Sizes sizes, DLDevice device = {kDLCPU, 0})
      : Tensor(data, type, sizes, {}, device) {}

  /// The same with the bytes from one element to the next in each dimension.
  Tensor(void *data, DLDataType type, Sizes sizes, Sizes byteStrides, DLDevice device = {kDLCPU, 0})
      : address(data), dtype(type), place(device), rank(static_cast<int>(sizes.size())) {
    if (rank > maxRank) {
      fault = "expected at most 6 dimensions, got " + std::to_string(rank);
      return;
    }
    std::copy(sizes.begin(), sizes.end(), shape);
    if (byteStrides.size() == 0 && rank > 0) {
      int64_t stride = 1;
      for (int i = rank; i-- > 0; stride *= shape[i])
        strides[i] = stride;
      return;
    }
    setByteStrides(byteStrides);
  }

  /// Elements of a C++ type.
  template <typename T>
  Tensor(T *data, Sizes sizes, Sizes byteStrides = {}, DLDevice device = {kDLCPU, 0})
      : Tensor(const_cast<std::remove_const_t<T> *>(data), DataType<std::remove_const_t<T>>::value,
               sizes, byteStrides, device) {}

  /// The view as DLPack has it, for as long as this tensor stays where it is.
  DLTensor get() const & {
    DLTensor tensor{};
    tensor.data = address;
    tensor.device = place;
    tensor.ndim = rank;
    tensor.dtype = dtype;
    tensor.shape = const_cast<int64_t *>(shape);
    tensor.strides = const_cast<int64_t *>(strides);
    return tensor;
  }

  DLTensor get() const && = delete;

  /// What is wrong with the sizes and strides that it was made with, or "".
  const std::string &problem() const { return fault; }

  /// The same elements on another device: of the GPU `index` for a device pointer.
  Tensor onGpu(int index = 0) const {
    Tensor other = *this;
    other.place = {kDLCUDA, index};
    return other;
  }

private:
  void setByteStrides(Sizes byteStrides) {
    int64_t bytes = dtype.bits / 8;
    if (static_cast<int>(byteStrides.size()) != rank)
      fault = "expected " + std::to_string(rank) + " strides, got " +
              std::to_string(byteStrides.size());
    int i = 0;
    for (int64_t stride : byteStrides) {
      if (fault.empty() && stride % bytes != 0)
        fault = "expected strides that are multiples of the " + std::to_string(bytes) +
                " bytes of an element, got " + std::to_string(stride);
      if (i < maxRank)
        strides[i++] = stride / bytes;
    }
  }

  void *address;
  DLDataType dtype;
  DLDevice place;
  int rank;
  int64_t shape[maxRank] = {}, strides[maxRank] = {};
  std::string fault;
};

/// [batch, heads, sequence, columns], as PyTorch's scaled_dot_product_attention has it.
template <typename T>
Tensor bhsd(T *data, int64_t batch, int64_t heads, int64_t sequence, int64_t columns) {
  return Tensor(data, {batch, heads, sequence, columns});
}

/// [batch, sequence, heads, columns] in memory, as FlashAttention has it.
template <typename T>
Tensor bshd(T *data, int64_t batch, int64_t sequence, int64_t heads, int64_t columns) {
  int64_t bytes = sizeof(T), head = columns * bytes, row = heads * head;
  return Tensor(data, {batch, heads, sequence, columns}, {sequence * row, head, row, bytes});
}

/// [tokens, heads, columns] in memory: sequences packed one after the other, as one batch. The
/// program tells them apart, with document() of the library for instance.
template <typename T> Tensor thd(T *data, int64_t tokens, int64_t heads, int64_t columns) {
  return bshd(data, 1, tokens, heads, columns);
}

//===------------------------------------------------------------------------===//
// Handles
//===------------------------------------------------------------------------===//

namespace detail {
template <typename T, attnc_status_t (*Release)(T *)> struct Releaser {
  void operator()(T *handle) const { Release(handle); }
};
using DeviceHandle =
    std::unique_ptr<attnc_device_t, Releaser<attnc_device_t, attnc_device_release>>;
using KernelHandle =
    std::unique_ptr<attnc_kernel_t, Releaser<attnc_kernel_t, attnc_kernel_release>>;
using LaunchHandle =
    std::unique_ptr<attnc_launch_t, Releaser<attnc_launch_t, attnc_launch_release>>;
using PlanHandle = std::unique_ptr<attnc_plan_t, Releaser<attnc_plan_t, attnc_plan_release>>;
} // namespace detail

/// What kernels run on.
class Device {
public:
  /// Opens a device by its name: `host`, `cuda`, `cuda:1`, `emulator`, `auto`.
  static Result<Device> tryOpen(const char *name, const attnc_device_options_t *options = nullptr) {
    attnc_device_t *device = nullptr;
    if (attnc_status_t status = attnc_device_open(name, options, &device))
      return Error(status, attnc_device_message(nullptr));
    return Device(device);
  }
  static Device open(const char *name, const attnc_device_options_t *options = nullptr) {
    return tryOpen(name, options).take();
  }

  /// This machine's CPU; 0 threads for one a core.
  static Device host(int threads = 0) {
    attnc_device_options_t options{};
    options.struct_size = sizeof options;
    options.threads = threads;
    return open("host", &options);
  }

  attnc_device_info_t info() const {
    attnc_device_info_t info{};
    info.struct_size = sizeof info;
    if (attnc_status_t status = attnc_device_get_info(handle.get(), &info))
      detail::fail(Error(status, attnc_device_message(handle.get())));
    return info;
  }

  attnc_device_t *get() const { return handle.get(); }

private:
  friend struct DeviceKernel;
  explicit Device(attnc_device_t *device) : handle(device) {}
  detail::DeviceHandle handle;
};

/// Which keys a mask leaves to which queries, for launches of the same sizes. Launches on the host
/// make plans and take them.
class Plan {
public:
  /// Reads a plan from a file.
  static Result<Plan> tryLoad(const char *path) {
    attnc_plan_t *plan = nullptr;
    if (attnc_status_t status = attnc_plan_load(path, &plan))
      return Error(status, attnc_plan_message(nullptr));
    return Plan(plan);
  }
  static Plan load(const char *path) { return tryLoad(path).take(); }

  /// Writes it to a file, whole or not at all.
  Result<void> trySave(const char *path) const {
    if (attnc_status_t status = attnc_plan_save(handle.get(), path))
      return Error(status, attnc_plan_message(handle.get()));
    return {};
  }
  void save(const char *path) const { trySave(path).take(); }

  attnc_plan_info_t info() const {
    attnc_plan_info_t info{};
    info.struct_size = sizeof info;
    if (attnc_status_t status = attnc_plan_get_info(handle.get(), &info))
      detail::fail(Error(status, attnc_plan_message(handle.get())));
    return info;
  }

  attnc_plan_t *get() const { return handle.get(); }

private:
  friend class Launch;
  explicit Plan(attnc_plan_t *plan) : handle(plan) {}
  detail::PlanHandle handle;
};

/// A kernel with its arguments. For one thread at a time.
class Launch {
public:
  /// Sets a tensor by name.
  Result<void> trySet(const char *name, const Tensor &tensor) {
    if (!tensor.problem().empty())
      return Error(ATTNC_INVALID_ARGUMENT, "`" + std::string(name) + "`: " + tensor.problem());
    DLTensor view = tensor.get();
    return check(attnc_launch_set_tensor(handle.get(), name, &view));
  }
  Result<void> trySet(const char *name, const DLTensor &tensor) {
    return check(attnc_launch_set_tensor(handle.get(), name, &tensor));
  }
  /// Sets a number by name: a bool, an integer or a float, as the program declares it.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Result<void> trySet(const char *name, T value) {
    if constexpr (std::is_same_v<T, bool>)
      return check(attnc_launch_set_bool(handle.get(), name, value));
    else if constexpr (std::is_integral_v<T>) {
      // What no argument of integers holds is a float, which those refuse.
      if constexpr (std::is_unsigned_v<T>)
        if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
          return check(attnc_launch_set_float(handle.get(), name, static_cast<double>(value)));
      return check(attnc_launch_set_int(handle.get(), name, static_cast<int64_t>(value)));
    } else
      return check(attnc_launch_set_float(handle.get(), name, static_cast<double>(value)));
  }
  template <typename T> Launch &set(const char *name, const T &value) {
    trySet(name, value).take();
    return *this;
  }

  /// Checks all arguments, plans the launch, and makes workspace for it. Launching does so by
  /// itself where something has changed.
  Result<void> tryPrepare() {
    attnc_status_t status = attnc_launch_prepare(handle.get());
    return check(status ? status : attnc_launch_allocate_workspace(handle.get()));
  }
  Launch &prepare() {
    tryPrepare().take();
    return *this;
  }

  /// Runs it, or starts it on a GPU's stream.
  Result<void> tryRun(void *stream = nullptr) {
    if (Result<void> result = tryPrepare(); !result)
      return result;
    return check(attnc_launch_run(handle.get(), stream));
  }
  void operator()(void *stream = nullptr) { tryRun(stream).take(); }

  /// Runs one part of a launch that is prepared; threads may run different parts at once.
  Result<void> tryRunPart(int part, int parts) const {
    return check(attnc_launch_run_part(handle.get(), part, parts));
  }
  void runPart(int part, int parts) const { tryRunPart(part, parts).take(); }

  /// On the host: makes a plan for these arguments, which are prepared if they are not.
  Result<Plan> tryMakePlan(const attnc_plan_options_t *options = nullptr) {
    if (Result<void> result = tryPrepare(); !result)
      return Error(result.status(), result.message());
    attnc_plan_t *plan = nullptr;
    if (attnc_status_t status = attnc_plan_create(handle.get(), options, &plan))
      return Error(status, attnc_launch_message(handle.get()));
    return Plan(plan);
  }
  Plan makePlan(const attnc_plan_options_t *options = nullptr) {
    return tryMakePlan(options).take();
  }

  /// Visits the keys of `plan` alone, which it keeps.
  Result<void> trySetPlan(const Plan &plan) {
    return check(attnc_launch_set_plan(handle.get(), plan.get()));
  }
  Launch &setPlan(const Plan &plan) {
    trySetPlan(plan).take();
    return *this;
  }
  Launch &clearPlan() {
    check(attnc_launch_set_plan(handle.get(), nullptr)).take();
    return *this;
  }

  /// Fails with a pair that `plan` is wrong about, if there is one.
  Result<void> tryVerifyPlan(const Plan &plan) {
    if (Result<void> result = tryPrepare(); !result)
      return result;
    return check(attnc_launch_verify_plan(handle.get(), plan.get()));
  }
  void verifyPlan(const Plan &plan) { tryVerifyPlan(plan).take(); }

  attnc_launch_t *get() const { return handle.get(); }

private:
  friend class Kernel;
  explicit Launch(attnc_launch_t *launch) : handle(launch) {}

  Result<void> check(attnc_status_t status) const {
    if (status == ATTNC_OK)
      return {};
    return Error(status, attnc_launch_message(handle.get()));
  }

  detail::LaunchHandle handle;
};

/// The kernels of one program on a device.
class Kernel {
public:
  /// Loads a host image, PTX or a cubin.
  static Result<Kernel> tryLoad(const Device &device, const void *bytes, size_t size) {
    attnc_kernel_t *kernel = nullptr;
    if (attnc_status_t status = attnc_kernel_load(device.get(), bytes, size, &kernel))
      return Error(status, attnc_device_message(device.get()));
    return Kernel(kernel);
  }
  static Kernel load(const Device &device, const void *bytes, size_t size) {
    return tryLoad(device, bytes, size).take();
  }

  /// Loads a file of these.
  static Result<Kernel> tryLoadFile(const Device &device, const char *path) {
    attnc_kernel_t *kernel = nullptr;
    if (attnc_status_t status = attnc_kernel_load_file(device.get(), path, &kernel))
      return Error(status, attnc_device_message(device.get()));
    return Kernel(kernel);
  }
  static Kernel loadFile(const Device &device, const char *path) {
    return tryLoadFile(device, path).take();
  }

  /// Loads one program of a package.
  static Result<Kernel> tryLoadProgram(const Device &device, const char *path,
                                       const char *program) {
    attnc_kernel_t *kernel = nullptr;
    if (attnc_status_t status = attnc_kernel_load_program(device.get(), path, program, &kernel))
      return Error(status, attnc_device_message(device.get()));
    return Kernel(kernel);
  }
  static Kernel loadProgram(const Device &device, const char *path, const char *program) {
    return tryLoadProgram(device, path, program).take();
  }

  /// Compiles a program; see attnc::tryJit.
  static Result<Kernel> tryCompile(const Device &device, const attnc_source_t &source) {
    attnc_kernel_t *kernel = nullptr;
    if (attnc_status_t status = attnc_kernel_compile(device.get(), &source, &kernel))
      return Error(status, attnc_device_message(device.get()));
    return Kernel(kernel);
  }

  /// A launch with these tensors; lse, captured tensors and scalars are set on it.
  Result<Launch> tryBind(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &o) const {
    attnc_launch_t *created = nullptr;
    if (attnc_status_t status = attnc_launch_create(handle.get(), &created))
      return Error(status, attnc_kernel_message(handle.get()));
    Launch launch(created);
    for (auto [name, tensor] :
         {std::pair("q", &q), std::pair("k", &k), std::pair("v", &v), std::pair("o", &o)})
      if (Result<void> result = launch.trySet(name, *tensor); !result)
        return Error(result.status(), result.message());
    return launch;
  }
  Launch bind(const Tensor &q, const Tensor &k, const Tensor &v, const Tensor &o) const {
    return tryBind(q, k, v, o).take();
  }

  size_t variantCount() const {
    size_t count = 0;
    check(attnc_kernel_get_variant_count(handle.get(), &count));
    return count;
  }
  attnc_variant_info_t variant(size_t index) const {
    attnc_variant_info_t info{};
    info.struct_size = sizeof info;
    check(attnc_kernel_get_variant(handle.get(), index, &info));
    return info;
  }
  attnc_argument_info_t argument(size_t variant, size_t index) const {
    attnc_argument_info_t info{};
    info.struct_size = sizeof info;
    check(attnc_kernel_get_argument(handle.get(), variant, index, &info));
    return info;
  }

  attnc_kernel_t *get() const { return handle.get(); }

private:
  friend struct DeviceKernel;
  explicit Kernel(attnc_kernel_t *kernel) : handle(kernel) {}
  void check(attnc_status_t status) const {
    if (status != ATTNC_OK)
      detail::fail(Error(status, attnc_kernel_message(handle.get())));
  }

  detail::KernelHandle handle;
};

/// A kernel, and the first device of a list that can run it: of `auto`, or `cuda:1,cuda,host`.
/// device.info().passed_over says why not those before it.
struct DeviceKernel {
  Device device;
  Kernel kernel;

  /// Compiles a program; see attnc::tryJit.
  static Result<DeviceKernel> tryCompile(const char *devices, const attnc_source_t &source,
                                         const attnc_device_options_t *options = nullptr) {
    attnc_device_t *device = nullptr;
    attnc_kernel_t *kernel = nullptr;
    return make(attnc_kernel_compile_on(devices, options, &source, &device, &kernel), device,
                kernel);
  }

  /// Loads a file: `program` of a package, or the only one.
  static Result<DeviceKernel> tryLoadFile(const char *devices, const char *path,
                                          const char *program = nullptr,
                                          const attnc_device_options_t *options = nullptr) {
    attnc_device_t *device = nullptr;
    attnc_kernel_t *kernel = nullptr;
    return make(attnc_kernel_load_file_on(devices, options, path, program, &device, &kernel),
                device, kernel);
  }
  static DeviceKernel loadFile(const char *devices, const char *path, const char *program = nullptr,
                               const attnc_device_options_t *options = nullptr) {
    return tryLoadFile(devices, path, program, options).take();
  }

private:
  static Result<DeviceKernel> make(attnc_status_t status, attnc_device_t *const &device,
                                   attnc_kernel_t *const &kernel) {
    if (status)
      return Error(status, attnc_device_message(nullptr));
    return DeviceKernel{Device(device), Kernel(kernel)};
  }
};

//===------------------------------------------------------------------------===//
// Compiling
//===------------------------------------------------------------------------===//

/// What a program is compiled to; see attnc_source_t.
struct Options {
  std::string dtypes = "bf16";
  std::string headDims = "128";
  bool lse = false;
  std::string name = "attn.attn";
  std::vector<std::string> defines = {}; ///< "window=512"
  std::string approximate = {};
  std::string products = {}; ///< "tf32", "tf32x3"
};

namespace detail {
/// Calls `use` with a program and options as C has them.
template <typename UseT>
auto withSource(const std::string &program, const Options &options, UseT use) {
  std::vector<const char *> defines;
  for (const std::string &define : options.defines)
    defines.push_back(define.c_str());
  attnc_source_t source{};
  source.struct_size = sizeof source;
  source.text = program.data();
  source.text_size = program.size();
  source.name = options.name.c_str();
  source.dtypes = options.dtypes.c_str();
  source.head_dims = options.headDims.c_str();
  source.lse = options.lse;
  source.approximate = options.approximate.empty() ? nullptr : options.approximate.c_str();
  source.defines = defines.data();
  source.define_count = defines.size();
  source.products = options.products.empty() ? nullptr : options.products.c_str();
  return use(source);
}
} // namespace detail

/// Compiles a program for a device, with libattnc_compiler, which the runtime loads.
inline Result<Kernel> tryJit(const std::string &program, const Options &options,
                             const Device &device) {
  return detail::withSource(program, options, [&](const attnc_source_t &source) {
    return Kernel::tryCompile(device, source);
  });
}
inline Kernel jit(const std::string &program, const Options &options, const Device &device) {
  return tryJit(program, options, device).take();
}

/// The same for the first device of a list that can run the program.
inline Result<DeviceKernel> tryJit(const std::string &program, const Options &options,
                                   const char *devices,
                                   const attnc_device_options_t *deviceOptions = nullptr) {
  return detail::withSource(program, options, [&](const attnc_source_t &source) {
    return DeviceKernel::tryCompile(devices, source, deviceOptions);
  });
}
inline DeviceKernel jit(const std::string &program, const Options &options, const char *devices,
                        const attnc_device_options_t *deviceOptions = nullptr) {
  return tryJit(program, options, devices, deviceOptions).take();
}

} // namespace attnc

#endif // ATTNC_ATTNC_HPP
