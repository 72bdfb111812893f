// Sets of kernels by name; which ones can run is kernels.cpp's business.
#pragma once

#include "dagwright/data/kernels.hpp"

namespace dagwright {

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace dagwright
