// CUDA(call): every call of the runtime is checked. A failure prints the error's
// text and what to do or, where nobody can say, file, line and the call; exit
// status 3.
#ifndef CUDA_CHECK_H
#define CUDA_CHECK_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDA(call) cuda_check((call), #call, __FILE__, __LINE__)

void cuda_check(cudaError_t error, const char *call, const char *file, int line);

// What a person can do about the error, or "".
const char *cuda_hint(cudaError_t error);

#ifdef __cplusplus
}
#endif
#endif
