// Compiled with the options of avx2; called only where the processor has it.
#if defined(__x86_64__)

#include "dagwright/markov/spin_kernel_sets.hpp"
#include "dagwright/markov/spin_kernels_code.hpp"

namespace dagwright {

const SpinKernels kAvx2SpinKernels = {"avx2", combine, sums, sums_differ, logistic, exponential};

}  // namespace dagwright

#endif
