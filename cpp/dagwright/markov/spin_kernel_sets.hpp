// Sets of kernels by name; which ones can run is spin_kernels.cpp's business.
#pragma once

#include "dagwright/markov/spin_kernels.hpp"

namespace dagwright {

extern const SpinKernels kPlainSpinKernels;
#if defined(__x86_64__)
extern const SpinKernels kAvx2SpinKernels;
extern const SpinKernels kAvx512SpinKernels;
#endif

}  // namespace dagwright
