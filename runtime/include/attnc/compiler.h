/*===- compiler.h - Compiling attention variants, from C ------------*- C -*-===//
 *
 * Part of attnc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===//
 *
 * The interface of libattnc_compiler, for those who want code and no launches. The runtime loads
 * the library by itself when attnc_kernel_compile asks for it. LLVM is inside and not seen: a
 * program may have one of its own. Any number of threads may compile at the same time.
 *
 *===------------------------------------------------------------------------===*/

#ifndef ATTNC_COMPILER_H
#define ATTNC_COMPILER_H

#include "attnc/attnc.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The ABI version of the library, at least the one that a caller was compiled with. */
ATTNC_API uint32_t attnc_compiler_abi_version(void);

/** What compiling gives. Both texts are the library's until attnc_code_release. */
typedef struct attnc_code_t {
  size_t struct_size;
  const void *bytes; /**< what attnc_kernel_load takes, or a text; NULL after an error */
  size_t size;
  const char *messages; /**< errors and warnings with the program's lines; "" for none */
  void *owner;          /**< of all this; the library's */
} attnc_code_t;

/** Compiles `source` for `target`:
 *
 *   host          a host image for this CPU; host:x86-64-v3 and host:x86-64 for any of these
 *   sm_80         PTX, for any architecture that attnc --arch has
 *   gpu:8.6       PTX for the best architecture that GPUs of this compute capability take
 *   attn          no code, but the attn dialect as text: what kernels compute, without the
 *                 comments, spaces and names of its own that the program has. Programs with one
 *                 such form, and the same options, are compiled to the same code.
 *
 * Fills `code`, whose struct_size is set, with the code or with what is wrong. The caller releases
 * it in either case. */
ATTNC_API attnc_status_t attnc_compile(const attnc_source_t *source, const char *target,
                                       attnc_code_t *code);

/** Gives back what attnc_compile has put into `code`, and empties it. */
ATTNC_API void attnc_code_release(attnc_code_t *code);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ATTNC_COMPILER_H */
