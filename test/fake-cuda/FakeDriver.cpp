//===- FakeDriver.cpp - A CUDA driver without a GPU -------------------------===//
//
// Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//
//
// A libcuda.so.1 whose GPU is the emulator, for tests of what calls the driver: each call is
// recorded and can be made to fail. An event lasts 1 ms for each kernel that was launched before
// it.
//
//   FAKE_CUDA_LOG=FILE         a line for each call that matters is added to FILE
//   FAKE_CUDA_FAIL=NAME:N:CODE the N-th call of NAME, from 1, returns CODE and does nothing; after
//                              719, of a kernel that has failed, so do all calls that need a GPU
//   FAKE_CUDA_DEVICES=N        devices there are, at most 4 (1)
//   FAKE_CUDA_CAPABILITY=M.N   their compute capability (8.0)
//   FAKE_CUDA_SMS=N            their multiprocessors (108)
//
//===------------------------------------------------------------------------===//

#include "runtime/cuda/DriverTypes.h"
#include "runtime/emulator/Device.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <utility>

using namespace attnc;
using namespace attnc::cuda;

#define ATTNC_CUDA_FUNCTION(name, symbol, ...)                                                     \
  extern "C" __attribute__((visibility("default"))) CUresult symbol(__VA_ARGS__);
#include "runtime/cuda/DriverFunctions.def"

// What programs of tests call beside that.
struct GraphState;
#define FAKE_CUDA_EXPORT extern "C" __attribute__((visibility("default")))
FAKE_CUDA_EXPORT CUresult cuStreamCreate(CUstream *, unsigned);
FAKE_CUDA_EXPORT CUresult cuStreamDestroy_v2(CUstream);
FAKE_CUDA_EXPORT CUresult cuStreamSynchronize(CUstream);
FAKE_CUDA_EXPORT CUresult cuStreamBeginCapture_v2(CUstream, int);
FAKE_CUDA_EXPORT CUresult cuStreamEndCapture(CUstream, GraphState **);
FAKE_CUDA_EXPORT CUresult cuGraphInstantiateWithFlags(GraphState **, GraphState *,
                                                      unsigned long long);
FAKE_CUDA_EXPORT CUresult cuGraphLaunch(GraphState *, CUstream);
FAKE_CUDA_EXPORT CUresult cuGraphExecDestroy(GraphState *);
FAKE_CUDA_EXPORT CUresult cuGraphDestroy(GraphState *);

struct attnc::cuda::ContextState {
  int device;
};
struct attnc::cuda::FunctionState {
  const emu::Program *program;
  uint64_t sharedBytes; ///< that a launch may ask for
};
struct attnc::cuda::ModuleState {
  std::unique_ptr<emu::Module> module;
  std::map<std::string, FunctionState> functions;
};
struct attnc::cuda::StreamState {
  GraphState *graph = nullptr; ///< that launches become part of, while they are captured
};
struct KernelLaunch {
  const emu::Program *program;
  emu::LaunchConfig config;
  std::vector<uint8_t> arguments;
};
struct GraphState {
  std::vector<KernelLaunch> launches;
};
struct attnc::cuda::EventState {
  int launches; ///< before it was recorded
};

namespace {
constexpr CUresult invalidValue = 1, notInitialized = 3, launchFailed = 719;

struct Error {
  CUresult code;
  const char *name, *text;
};
constexpr Error errors[] = {
    {invalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {notInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "PTX JIT compiler library not found"},
    {CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {launchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
};

struct State {
  emu::Device device;
  bool isInitialized = false;
  std::map<std::string, int> calls;
  std::set<CUdeviceptr> buffers;
  std::set<CUstream> streams; ///< that cuStreamCreate has made
  int modules = 0, launches = 0;
  CUresult pending = CUDA_SUCCESS; ///< of a kernel, told when somebody waits for it
  CUresult lost = CUDA_SUCCESS;    ///< what was told of a kernel, and of all calls since
};

State &getState() {
  static State state;
  return state;
}

/// The primary context of a device.
CUcontext getContext(CUdevice device) {
  static ContextState contexts[] = {{0}, {1}, {2}, {3}};
  return &contexts[device];
}

/// What is current in this thread, the last one.
std::vector<CUcontext> &getStack() {
  thread_local std::vector<CUcontext> stack;
  return stack;
}

std::string getSetting(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

void log(const std::string &line) {
  std::string path = getSetting("FAKE_CUDA_LOG", "");
  if (path.empty())
    return;
  std::FILE *file = std::fopen(path.c_str(), "a");
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

/// What a call returns before it has done anything.
CUresult begin(const char *name) {
  State &state = getState();
  std::string call = std::string(name) + ":" + std::to_string(++state.calls[name]) + ":";
  std::string failure = getSetting("FAKE_CUDA_FAIL", "");
  if (failure.rfind(call, 0) == 0) {
    CUresult code = std::atoi(failure.c_str() + call.size());
    if (code == launchFailed)
      state.lost = code;
    return code;
  }
  bool needsContext = strncmp(name, "cuMem", 5) == 0 || strncmp(name, "cuModule", 8) == 0 ||
                      strncmp(name, "cuEvent", 7) == 0 || strncmp(name, "cuLaunch", 8) == 0 ||
                      strncmp(name, "cuStream", 8) == 0 || strncmp(name, "cuGraph", 7) == 0;
  bool isReady =
      needsContext ? !getStack().empty() : state.isInitialized || strcmp(name, "cuInit") == 0;
  if (!isReady)
    return notInitialized;
  // What is given back is gone all the same.
  bool givesBack = strcmp(name, "cuMemFree") == 0 || strcmp(name, "cuModuleUnload") == 0 ||
                   strcmp(name, "cuEventDestroy") == 0;
  return needsContext && !givesBack ? state.lost : CUDA_SUCCESS;
}

#define BEGIN(name)                                                                                \
  if (CUresult result = begin(name))                                                               \
  return result

/// Runs a kernel now; that it has failed is told later.
void run(const KernelLaunch &launch) {
  State &state = getState();
  ++state.launches;
  emu::LaunchResult result =
      state.device.launch(*launch.program, launch.config, launch.arguments, emu::LaunchOptions());
  for (const emu::Fault &fault : result.faults)
    log(emu::formatFault(fault));
  if (!result.succeeded)
    state.pending = launchFailed;
}

/// What an asynchronous call has left to tell.
CUresult wait() {
  State &state = getState();
  if (state.pending)
    state.lost = state.pending;
  return state.lost;
}
} // namespace

/// For tests in the process that has loaded it: the calls of a function so far.
extern "C" __attribute__((visibility("default"))) int fake_cuda_count(const char *name) {
  return getState().calls[name];
}

/// The same: forgets that a kernel has failed, which no other driver does.
extern "C" __attribute__((visibility("default"))) void fake_cuda_recover() {
  getState().pending = getState().lost = CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  BEGIN("cuInit");
  getState().isInitialized = true;
  return flags == 0 ? CUDA_SUCCESS : invalidValue;
}

CUresult cuDriverGetVersion(int *version) {
  BEGIN("cuDriverGetVersion");
  *version = 13000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  BEGIN("cuDeviceGetCount");
  *count = std::atoi(getSetting("FAKE_CUDA_DEVICES", "1").c_str());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  BEGIN("cuDeviceGet");
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  BEGIN("cuDeviceGetName");
  std::snprintf(name, static_cast<size_t>(length), "Emulated GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  BEGIN("cuDeviceGetAttribute");
  std::string capability = getSetting("FAKE_CUDA_CAPABILITY", "8.0");
  if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
    *value = std::atoi(capability.c_str());
  else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
    *value = std::atoi(capability.c_str() + capability.find('.') + 1);
  else if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    *value = std::atoi(getSetting("FAKE_CUDA_SMS", "108").c_str());
  else
    return invalidValue;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  BEGIN("cuDevicePrimaryCtxRetain");
  *context = getContext(device);
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  BEGIN("cuDevicePrimaryCtxRelease");
  log("cuDevicePrimaryCtxRelease: " + std::to_string(getState().buffers.size()) + " buffers and " +
      std::to_string(getState().modules) + " modules are left");
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  BEGIN("cuCtxSetCurrent");
  if (!getStack().empty())
    getStack().pop_back();
  if (context)
    getStack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  BEGIN("cuCtxGetCurrent");
  *context = getStack().empty() ? nullptr : getStack().back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  BEGIN("cuCtxPushCurrent");
  getStack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  BEGIN("cuCtxPopCurrent");
  if (getStack().empty())
    return invalidValue;
  *context = getStack().back();
  getStack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  BEGIN("cuCtxSynchronize");
  return wait();
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                            void **values) {
  BEGIN("cuModuleLoadDataEx");
  std::vector<emu::Diagnostic> diagnostics;
  auto loaded = std::make_unique<ModuleState>();
  loaded->module = getState().device.loadModule(static_cast<const char *>(image), diagnostics);
  if (loaded->module) {
    *module = loaded.release();
    ++getState().modules;
    return CUDA_SUCCESS;
  }
  char *text = nullptr;
  size_t size = 0;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      text = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      size = reinterpret_cast<uintptr_t>(values[i]);
  if (text)
    std::snprintf(text, size, "%s", emu::formatDiagnostic("PTX", diagnostics.front()).c_str());
  return CUDA_ERROR_INVALID_PTX;
}

CUresult cuModuleUnload(CUmodule module) {
  BEGIN("cuModuleUnload");
  --getState().modules;
  delete module;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  BEGIN("cuModuleGetFunction");
  const emu::Program *program = module->module->findKernel(name);
  if (!program)
    return CUDA_ERROR_NOT_FOUND;
  constexpr uint64_t sharedWithoutAsking = 48 * 1024;
  *function =
      &module->functions.emplace(name, FunctionState{program, sharedWithoutAsking}).first->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  BEGIN("cuFuncSetAttribute");
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      static_cast<uint64_t>(value) > getState().device.getProperties().sharedPerBlock)
    return invalidValue;
  function->sharedBytes = static_cast<uint64_t>(value);
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes) {
  BEGIN("cuMemAlloc");
  if (bytes == 0)
    return invalidValue;
  *pointer = getState().device.allocate(bytes);
  if (!*pointer)
    return CUDA_ERROR_OUT_OF_MEMORY;
  getState().buffers.insert(*pointer);
  log("cuMemAlloc " + std::to_string(bytes));
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  BEGIN("cuMemFree");
  getState().buffers.erase(pointer);
  return getState().device.release(pointer) ? CUDA_SUCCESS : invalidValue;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t bytes) {
  BEGIN("cuMemcpyHtoD");
  return getState().device.copyToDevice(target, source, bytes) ? CUDA_SUCCESS : invalidValue;
}

CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t bytes) {
  BEGIN("cuMemcpyDtoH");
  if (CUresult result = wait())
    return result;
  return getState().device.copyToHost(target, source, bytes) ? CUDA_SUCCESS : invalidValue;
}

CUresult cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                        unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                        CUstream stream, void **parameters, void **extra) {
  BEGIN("cuLaunchKernel");
  const emu::Program &program = *function->program;
  if (sharedBytes > function->sharedBytes || extra)
    return invalidValue;
  emu::KernelArguments arguments(program);
  for (size_t i = 0; i < program.parameters.size(); ++i)
    arguments.add(parameters[i], program.parameters[i].size);
  log("cuLaunchKernel " + program.name + ": grid " + std::to_string(gridX) + " " +
      std::to_string(gridY) + " " + std::to_string(gridZ) + ", block " + std::to_string(blockX) +
      " " + std::to_string(blockY) + " " + std::to_string(blockZ) + ", shared " +
      std::to_string(sharedBytes) + ", parameters " + std::to_string(arguments.getBytes().size()) +
      (stream ? ", a stream" : "") +
      (getStack().back()->device ? ", device " + std::to_string(getStack().back()->device) : ""));
  KernelLaunch launch{&program,
                      {{gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes},
                      arguments.getBytes()};
  if (getState().streams.count(stream) && stream->graph)
    stream->graph->launches.push_back(std::move(launch));
  else
    run(launch);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  BEGIN("cuStreamCreate");
  *stream = *getState().streams.insert(new StreamState).first;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  BEGIN("cuStreamDestroy");
  if (!getState().streams.erase(stream))
    return invalidValue;
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream) {
  BEGIN("cuStreamSynchronize");
  return wait();
}

CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  BEGIN("cuStreamBeginCapture");
  if (!getState().streams.count(stream) || stream->graph)
    return invalidValue;
  stream->graph = new GraphState;
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, GraphState **graph) {
  BEGIN("cuStreamEndCapture");
  if (!getState().streams.count(stream) || !stream->graph)
    return invalidValue;
  *graph = std::exchange(stream->graph, nullptr);
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(GraphState **executable, GraphState *graph,
                                     unsigned long long) {
  BEGIN("cuGraphInstantiate");
  *executable = new GraphState(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(GraphState *executable, CUstream) {
  BEGIN("cuGraphLaunch");
  log("cuGraphLaunch: " + std::to_string(executable->launches.size()) + " kernels");
  for (const KernelLaunch &launch : executable->launches)
    run(launch);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(GraphState *executable) {
  BEGIN("cuGraphExecDestroy");
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(GraphState *graph) {
  BEGIN("cuGraphDestroy");
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  BEGIN("cuEventCreate");
  *event = new EventState{-1};
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  BEGIN("cuEventDestroy");
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream) {
  BEGIN("cuEventRecord");
  event->launches = getState().launches;
  return CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent) {
  BEGIN("cuEventSynchronize");
  return wait();
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  BEGIN("cuEventElapsedTime");
  if (from->launches < 0 || to->launches < 0)
    return invalidValue;
  *milliseconds = static_cast<float>(to->launches - from->launches);
  return CUDA_SUCCESS;
}

/// The error of this code, or null.
static const Error *findError(CUresult code) {
  for (const Error &error : errors)
    if (error.code == code)
      return &error;
  return nullptr;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
  const Error *error = findError(code);
  *name = error ? error->name : nullptr;
  return error ? CUDA_SUCCESS : invalidValue;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
  const Error *error = findError(code);
  *text = error ? error->text : nullptr;
  return error ? CUDA_SUCCESS : invalidValue;
}
