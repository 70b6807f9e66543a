/*===- attnc.h - Compiled attention kernels, from C -----------------*- C -*-===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 * Loads kernels that attnc has compiled, or has them compiled, and launches them on tensors of the
 * caller. C11 and C++17; attnc.hpp is the same for C++.
 *
 *   attnc_device_t   what kernels run on: the CPU, a GPU, the emulator
 *   attnc_kernel_t   the kernels of one program on a device, one for each element type and head
 *                    dim; any batch, heads and lengths
 *   attnc_launch_t   a kernel and its arguments: bound once, launched many times
 *   attnc_plan_t     which keys a mask leaves to which queries, for launches of the same sizes
 *
 * A kernel keeps its device, and a launch its kernel and plan: handles are released in any order.
 *
 * Errors. Functions return a status. What went wrong is a text that the handle of the call gives,
 * attnc_device_message and so on; a call without a handle leaves it for NULL. Each thread has its
 * own messages, of at least the last 32 handles that calls failed with. A text stays until the
 * thread's next failed call. Nothing is printed, nothing ends the process, no exception leaves a
 * function. NULL, handles that were released a while ago and structs of no known size are refused
 * like other wrong arguments. A function that fails leaves its results as they were.
 *
 * Threads. Functions of devices, kernels and plans may be called from any number of threads at
 * once. A launch is for one thread at a time, but for attnc_launch_run_part. Releasing a handle
 * while another call uses it is an error of the caller.
 *
 * Structs begin with their size, which the caller sets: struct_size = sizeof(the struct). Later
 * versions add members at the end, and take the structs of earlier ones. A member that is 0 stands
 * for the default.
 *
 *===------------------------------------------------------------------------===*/

#ifndef ATTNC_ATTNC_H
#define ATTNC_ATTNC_H

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(ATTNC_BUILDING_RUNTIME)
#define ATTNC_API __declspec(dllexport)
#elif defined(_WIN32)
#define ATTNC_API __declspec(dllimport)
#elif defined(__GNUC__)
#define ATTNC_API __attribute__((visibility("default")))
#else
#define ATTNC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===------------------------------------------------------------------------===//
 * Version and statuses
 *===------------------------------------------------------------------------===*/

/** Version of this interface. A library of version N has all functions of versions 1 to N. */
#define ATTNC_ABI_VERSION 1

/** The ABI version of the library, at least the one that a caller was compiled with. */
ATTNC_API uint32_t attnc_abi_version(void);

/** The version of the library: "0.1.0". The text is the library's. */
ATTNC_API const char *attnc_version(void);

/** How a call ended. */
typedef enum attnc_status_t {
  ATTNC_OK = 0,
  ATTNC_INVALID_ARGUMENT = 1, /**< the caller passed what cannot be; the message names it */
  ATTNC_INVALID_KERNEL = 2,   /**< a file or bytes are no kernel for this device */
  ATTNC_COMPILE_FAILED = 3,   /**< of a program; the message shows its lines */
  ATTNC_UNAVAILABLE = 4,      /**< a device, library or file is not there or not usable */
  ATTNC_OUT_OF_MEMORY = 5,    /**< of the host or of a device */
  ATTNC_DEVICE_FAILED = 6,    /**< the driver or the device reported an error */
  ATTNC_INTERNAL = 7          /**< attnc itself is at fault */
} attnc_status_t;

/** The name of a status, "ATTNC_OK"; NULL for other numbers. The text is the library's. */
ATTNC_API const char *attnc_status_name(int32_t status);

typedef struct attnc_device_t attnc_device_t;
typedef struct attnc_kernel_t attnc_kernel_t;
typedef struct attnc_launch_t attnc_launch_t;
typedef struct attnc_plan_t attnc_plan_t;

/** What went wrong with the last call of this thread that failed with `device`, or without any
 * handle where that is NULL; "" if none did. */
ATTNC_API const char *attnc_device_message(const attnc_device_t *device);
/** The same for calls with `kernel`. */
ATTNC_API const char *attnc_kernel_message(const attnc_kernel_t *kernel);
/** The same for calls with `launch`. */
ATTNC_API const char *attnc_launch_message(const attnc_launch_t *launch);
/** The same for calls with `plan`. */
ATTNC_API const char *attnc_plan_message(const attnc_plan_t *plan);

/*===------------------------------------------------------------------------===//
 * Devices
 *===------------------------------------------------------------------------===*/

/** A parallel loop of the caller: calls body(argument, i) once for each i from 0 to count - 1, on
 * any threads, and returns when all calls have. */
typedef void (*attnc_parallel_for_t)(void *context, int64_t count,
                                     void (*body)(void *argument, int64_t i), void *argument);

typedef struct attnc_device_options_t {
  size_t struct_size;
  /** Of the CPU: threads that a launch uses at most; 0 for one a core. */
  int32_t threads;
  /** Of the device `host`, alone or in a list: runs the loops of launches in the place of the
   * library's own threads. Called by the thread that launches, with a count of at most `threads`.
   * NULL for none. */
  attnc_parallel_for_t parallel_for;
  void *parallel_for_context;
} attnc_device_options_t;

/** Opens a device by name:
 *
 *   host       this machine's CPU
 *   cuda       the first NVIDIA GPU, cuda:1 the second: through the driver, which is looked for now
 *   emulator   kernels for GPUs on the CPU, to the bit, with every access checked; slow
 *   cuda,host  a list: the first of these that is there
 *   auto       cuda,host
 *
 * Of a list, attnc_device_get_info says which was taken and why those before it were not. Nothing
 * but a list ever stands for another device.
 *
 * `options` may be NULL. A device that is not there is ATTNC_UNAVAILABLE, with the reason. The
 * caller releases the handle. */
ATTNC_API attnc_status_t attnc_device_open(const char *name, const attnc_device_options_t *options,
                                           attnc_device_t **device);

/** Gives the handle back; NULL is fine. Kernels of the device stay usable. */
ATTNC_API attnc_status_t attnc_device_release(attnc_device_t *device);

typedef struct attnc_device_info_t {
  size_t struct_size;
  const char *name;        /**< as it would be opened alone: "cuda:1" */
  const char *description; /**< for people: the model of a GPU, the threads of the host */
  DLDevice dl_device;      /**< where tensors for it lie */
  int32_t threads;         /**< that a launch uses at most; 0 for GPUs */
  int32_t multiprocessors; /**< of a GPU, or that the emulator stands for; else 0 */
  int32_t major, minor;    /**< compute capability of a GPU; else 0 */
  const char *passed_over; /**< of a list: a line for each device before this one; else "" */
} attnc_device_info_t;

/** Fills `info`, whose struct_size is set. Texts are the device's: they last as long as a handle of
 * the device, one of its kernels or launches. */
ATTNC_API attnc_status_t attnc_device_get_info(const attnc_device_t *device,
                                               attnc_device_info_t *info);

/*===------------------------------------------------------------------------===//
 * Kernels
 *===------------------------------------------------------------------------===*/

/** Loads what attnc has written: a host image (.so) on the device `host`, PTX or a cubin on `cuda`,
 * PTX on `emulator`; or a package (.attnpkg) of one program, of which the code that is nearest to
 * the device is taken: the newest architecture that a GPU runs, the host image that needs most of
 * what this CPU has. `bytes` are copied and are the caller's again. The caller releases the handle.
 */
ATTNC_API attnc_status_t attnc_kernel_load(attnc_device_t *device, const void *bytes, size_t size,
                                           attnc_kernel_t **kernel);

/** The same for the contents of a file, which is mapped meanwhile: nobody may shorten it. */
ATTNC_API attnc_status_t attnc_kernel_load_file(attnc_device_t *device, const char *path,
                                                attnc_kernel_t **kernel);

/** The same for the program of that name in a package of several. */
ATTNC_API attnc_status_t attnc_kernel_load_program(attnc_device_t *device, const char *path,
                                                   const char *program, attnc_kernel_t **kernel);

/** A program, and what to compile it to. Texts that are NULL stand for the defaults of attnc. */
typedef struct attnc_source_t {
  size_t struct_size;
  const char *text;           /**< the program, in the .attn language */
  size_t text_size;           /**< its bytes; 0 for up to the first zero byte */
  const char *name;           /**< of its file in messages, and of its kernels; "attn.attn" */
  const char *dtypes;         /**< "bf16", or several: "f16,bf16" */
  const char *head_dims;      /**< "128", or several, D or D:Dv: "64,192:128" */
  int32_t lse;                /**< whether kernels also write the log-sum-exp of each row */
  const char *approximate;    /**< builtins that may be approximated: "tanh,exp" */
  const char *const *defines; /**< constants of the program that get other values: "window=512" */
  size_t define_count;
  const char *products; /**< of f32 on GPUs: "tf32" or "tf32x3"; NULL for those of f32 */
} attnc_source_t;

/** Compiles `source` for the device with libattnc_compiler, which is looked for beside this library
 * and where the system looks for libraries; ATTNC_UNAVAILABLE if it is not there. What is wrong
 * with the program is ATTNC_COMPILE_FAILED with a message that shows its lines. A kernel that
 * was compiled before, of the same program and options by the same compiler for the same target, is
 * taken from a cache; comments, spaces and names of its own do not make another program. The caller
 * releases the handle. */
ATTNC_API attnc_status_t attnc_kernel_compile(attnc_device_t *device, const attnc_source_t *source,
                                              attnc_kernel_t **kernel);

/** Opens the first device of a list that can run `source`, which is compiled for it: a device that
 * is not there, or for which no kernel can be made of the program, is passed over, and
 * attnc_device_get_info says why. What is wrong whatever the device ends the search. Where none can
 * the message has the reason of each. `options` may be NULL. The caller releases both handles. */
ATTNC_API attnc_status_t attnc_kernel_compile_on(const char *devices,
                                                 const attnc_device_options_t *options,
                                                 const attnc_source_t *source,
                                                 attnc_device_t **device, attnc_kernel_t **kernel);

/** The same for a file, of which the kernels of `program` are loaded; NULL for the only one. A file
 * that has nothing for a device is a reason to pass it over. */
ATTNC_API attnc_status_t attnc_kernel_load_file_on(const char *devices,
                                                   const attnc_device_options_t *options,
                                                   const char *path, const char *program,
                                                   attnc_device_t **device,
                                                   attnc_kernel_t **kernel);

/** Where kernels that attnc_kernel_compile has made are kept: the last ones of each device in
 * memory, as long as its handle, and all of them on disk, for other processes too. A member that is
 * 0 or NULL stands for the default. */
typedef struct attnc_cache_options_t {
  size_t struct_size;
  const char *folder;     /**< absolute; "" for none; NULL for attnc in the user's cache folder */
  int64_t max_disk_bytes; /**< what is used least goes where it is more; 0 for 1 GiB */
  int32_t max_kernels;    /**< of a device, in memory; 0 for 256 */
} attnc_cache_options_t;

/** Sets what the caches of this process do from now on; NULL for the defaults. */
ATTNC_API attnc_status_t attnc_cache_configure(const attnc_cache_options_t *options);

typedef struct attnc_cache_info_t {
  size_t struct_size;
  const char *folder;   /**< on disk; "" for none */
  const char *problem;  /**< why the folder is not used, or why the last kernel that was compiled
                           could not be kept there: others may write to it, it is full; else "" */
  int64_t disk_entries; /**< and what they take */
  int64_t disk_bytes;
  int64_t compilations; /**< by this process */
  int64_t memory_hits;  /**< kernels that were found instead */
  int64_t disk_hits;
} attnc_cache_info_t;

/** Fills `info`, whose struct_size is set. Texts last until the thread's next call of this. */
ATTNC_API attnc_status_t attnc_cache_get_info(attnc_cache_info_t *info);

/** Removes all kernels on disk. */
ATTNC_API attnc_status_t attnc_cache_clear(void);

/** Gives the handle back; NULL is fine. Launches of the kernel stay usable. */
ATTNC_API attnc_status_t attnc_kernel_release(attnc_kernel_t *kernel);

/** One kernel: the variant of a program for an element type and head dims. */
typedef struct attnc_variant_info_t {
  size_t struct_size;
  const char *name;      /**< of the entry: "gemma2_bf16_d128" */
  const char *arch;      /**< of a kernel for GPUs: "sm_80"; else "" */
  DLDataType dtype;      /**< of q, k, v and o */
  int64_t head_dim;      /**< the last dimension of q and k */
  int64_t value_dim;     /**< the last dimension of v and o */
  int32_t has_lse;       /**< whether the kernel writes lse, and takes it */
  int32_t takes_scale;   /**< whether `scale` is an argument */
  float scale;           /**< that the program fixes, if it is none */
  size_t argument_count; /**< that attnc_kernel_get_argument knows */
} attnc_variant_info_t;

/** The number of variants. */
ATTNC_API attnc_status_t attnc_kernel_get_variant_count(const attnc_kernel_t *kernel,
                                                        size_t *count);

/** Fills `info`, whose struct_size is set, with variant `index`. Texts are the kernel's: they last
 * as long as a handle of it or of one of its launches. */
ATTNC_API attnc_status_t attnc_kernel_get_variant(const attnc_kernel_t *kernel, size_t index,
                                                  attnc_variant_info_t *info);

typedef enum attnc_argument_kind_t {
  ATTNC_INPUT = 1,   /**< q, k or v */
  ATTNC_OUTPUT = 2,  /**< o or lse, which are written */
  ATTNC_CAPTURE = 3, /**< a tensor that the program names */
  ATTNC_SCALAR = 4   /**< a number that the program names, or `scale` */
} attnc_argument_kind_t;

/** How the elements of a tensor lie. Others may come, with a block table, a page size and lengths
 * of sequences as arguments of their own; kernels that have them are refused by this version. */
typedef enum attnc_layout_t {
  ATTNC_LAYOUT_NONE = 0,   /**< of a scalar */
  ATTNC_LAYOUT_STRIDED = 1 /**< one stride for each dimension */
} attnc_layout_t;

typedef struct attnc_argument_info_t {
  size_t struct_size;
  const char *name;
  attnc_argument_kind_t kind;
  attnc_layout_t layout;
  DLDataType dtype;         /**< bool is kDLBool of DLPack, code 6 */
  int32_t rank;             /**< of a tensor */
  const char *const *shape; /**< `rank` sizes as texts: "Hq", "Q + KV - 1"; NULL for rank 0 */
} attnc_argument_info_t;

/** Fills `info`, whose struct_size is set, with argument `index` of a variant: q, k, v, o, lse if
 * the kernel has it, captured tensors, scalars. Texts as of attnc_kernel_get_variant. */
ATTNC_API attnc_status_t attnc_kernel_get_argument(const attnc_kernel_t *kernel, size_t variant,
                                                   size_t index, attnc_argument_info_t *info);

/*===------------------------------------------------------------------------===//
 * Launches
 *===------------------------------------------------------------------------===*/

/** A launch of `kernel` without arguments yet. The caller releases the handle. */
ATTNC_API attnc_status_t attnc_launch_create(attnc_kernel_t *kernel, attnc_launch_t **launch);

/** Gives the handle back; NULL is fine. On a GPU the launches that were started go on; workspace
 * that attnc_launch_allocate_workspace has made must not be in use. */
ATTNC_API attnc_status_t attnc_launch_release(attnc_launch_t *launch);

/** Sets the tensor `name`: q, k, v, o, lse or a captured one. The elements are borrowed: they must
 * be there whenever the launch runs. The DLTensor itself, its shape and strides are copied. As
 * DLPack says, NULL strides are those of a compact tensor, and the first element is at data +
 * byte_offset; strides must be at least 0. q, k and v are [B, H, rows, columns], o like q, lse [B,
 * H, rows], in any layout with contiguous columns. Strides of o and lse keep their elements apart:
 * from the smallest on, each steps over all that those before it reach.
 *
 * After attnc_launch_prepare, a tensor of the same shape and strides is taken at once: nothing is
 * allocated and the launch stays prepared. Anything else asks for attnc_launch_prepare again. */
ATTNC_API attnc_status_t attnc_launch_set_tensor(attnc_launch_t *launch, const char *name,
                                                 const DLTensor *tensor);

struct DLManagedTensorVersioned;
/** The same for a tensor with a version and flags, of DLPack from 1.0 on. It stays the caller's:
 * its deleter is not called. One that is marked read-only is refused for o and lse. */
ATTNC_API attnc_status_t attnc_launch_set_versioned_tensor(
    attnc_launch_t *launch, const char *name, const struct DLManagedTensorVersioned *tensor);

/** Sets the scalar `name`, or `scale` where it is an argument. It must fit the scalar's type; an
 * integer may be given for a float. On a launch that is prepared it counts from the next
 * attnc_launch_run on. */
ATTNC_API attnc_status_t attnc_launch_set_float(attnc_launch_t *launch, const char *name,
                                                double value);
/** The same for integers. */
ATTNC_API attnc_status_t attnc_launch_set_int(attnc_launch_t *launch, const char *name,
                                              int64_t value);
/** The same for bools; any number but 0 is true. */
ATTNC_API attnc_status_t attnc_launch_set_bool(attnc_launch_t *launch, const char *name,
                                               int32_t value);

/** Checks all arguments, chooses the variant for them, and plans the launch. Nothing runs. */
ATTNC_API attnc_status_t attnc_launch_prepare(attnc_launch_t *launch);

/** The variant that a prepared launch runs. */
ATTNC_API attnc_status_t attnc_launch_get_variant(const attnc_launch_t *launch, size_t *index);

/** The bytes of workspace that a prepared launch needs, in the memory of its device, and what their
 * address must be a multiple of. */
ATTNC_API attnc_status_t attnc_launch_get_workspace(const attnc_launch_t *launch, size_t *size,
                                                    size_t *alignment);

/** Borrows `size` bytes, which no other launch may use at the same time, as workspace; NULL and 0
 * take it away. Several launches that run one after the other may share it. */
ATTNC_API attnc_status_t attnc_launch_set_workspace(attnc_launch_t *launch, void *memory,
                                                    size_t size);

/** Makes workspace for a prepared launch, which it keeps until it is released or needs another
 * size. */
ATTNC_API attnc_status_t attnc_launch_allocate_workspace(attnc_launch_t *launch);

/** Runs a prepared launch. On the host it returns when all is written; on a GPU it is started on
 * `stream`, a CUstream, NULL for the default one, and can be captured in a graph. Elsewhere
 * `stream` is NULL. Nothing is allocated and nothing waited for, but by the emulator. */
ATTNC_API attnc_status_t attnc_launch_run(attnc_launch_t *launch, void *stream);

/** On the host: runs part `part` of `parts` of a prepared launch, at most as many as the device has
 * threads, in this thread alone. All parts together write everything. Different parts may run at
 * the same time, and this function alone may be called for one launch from several threads at once.
 */
ATTNC_API attnc_status_t attnc_launch_run_part(const attnc_launch_t *launch, int32_t part,
                                               int32_t parts);

/*===------------------------------------------------------------------------===//
 * Plans
 *===------------------------------------------------------------------------===*/

/** How to make a plan. A member that is 0 stands for what suits the launch. */
typedef struct attnc_plan_options_t {
  size_t struct_size;
  int64_t block_queries; /**< queries and keys that the plan takes together */
  int64_t block_keys;
  int32_t refine; /**< whether the pairs of blocks are evaluated that the analysis leaves partial */
} attnc_plan_options_t;

/** On the device `host`: finds the blocks of keys that each block of queries of a prepared launch
 * attends to, by its sizes, and by the scalars and captured tensors that its mask reads. The plan
 * is for any number of launches whose kernels have the same mask, whatever their element type and
 * head dims: of the layers of a model, for instance. The caller releases the handle. */
ATTNC_API attnc_status_t attnc_plan_create(const attnc_launch_t *launch,
                                           const attnc_plan_options_t *options,
                                           attnc_plan_t **plan);

/** Reads a plan from a file. What is no plan, damaged or of another version is ATTNC_UNAVAILABLE.
 * The caller releases the handle. */
ATTNC_API attnc_status_t attnc_plan_load(const char *path, attnc_plan_t **plan);

/** Writes a plan to a file, whole or not at all. */
ATTNC_API attnc_status_t attnc_plan_save(const attnc_plan_t *plan, const char *path);

/** Gives the handle back; NULL is fine. Launches that have the plan keep it. */
ATTNC_API attnc_status_t attnc_plan_release(attnc_plan_t *plan);

typedef struct attnc_plan_info_t {
  size_t struct_size;
  int64_t block_queries, block_keys;     /**< of a block; those at the ends may have fewer */
  int64_t batches, heads, queries, keys; /**< that it was made for */
  int32_t per_batch; /**< whether batches differ; else it is for any number of them */
  int32_t per_head;  /**< the same for heads */
  int64_t full;      /**< blocks of which every pair takes part */
  int64_t partial;   /**< of which some may */
  int64_t empty;     /**< of which none does, and which are not visited */
  double sparsity;   /**< the share of blocks that are empty */
  double pairs;      /**< in full and partial blocks of all batches and heads */
  int64_t bytes;     /**< of memory that the plan takes */
} attnc_plan_info_t;

/** Fills `info`, whose struct_size is set. A launch computes 2 * pairs * (head_dim + value_dim)
 * products and sums. */
ATTNC_API attnc_status_t attnc_plan_get_info(const attnc_plan_t *plan, attnc_plan_info_t *info);

/** On the device `host`: has the launch visit the keys of the plan alone, which it keeps, and asks
 * for attnc_launch_prepare again; NULL for a launch without a plan. Preparing it refuses a plan for
 * other sizes, another mask, other scalars of the mask or larger blocks of queries, and so does
 * setting such a scalar later. Captured tensors that the mask reads must hold what they held when
 * the plan was made: that is not checked but by attnc_launch_verify_plan. */
ATTNC_API attnc_status_t attnc_launch_set_plan(attnc_launch_t *launch, const attnc_plan_t *plan);

/** Evaluates the mask of a prepared launch at every pair, which takes a while, and fails with a
 * pair that the plan is wrong about. The launch need not have the plan. */
ATTNC_API attnc_status_t attnc_launch_verify_plan(const attnc_launch_t *launch,
                                                  const attnc_plan_t *plan);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ATTNC_ATTNC_H */
