// Compiled with the options of avx512; called only where the processor has it.
#if defined(__x86_64__)

#include "dagwright/markov/spin_kernel_sets.hpp"
#include "dagwright/markov/spin_kernels_code.hpp"

namespace dagwright {

const SpinKernels kAvx512SpinKernels = {"avx512", combine, sums, sums_differ, logistic, exponential};

}  // namespace dagwright

#endif
