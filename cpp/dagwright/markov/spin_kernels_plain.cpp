#include "dagwright/markov/spin_kernel_sets.hpp"
#include "dagwright/markov/spin_kernels_code.hpp"

namespace dagwright {

const SpinKernels kPlainSpinKernels = {"plain", combine, sums, sums_differ, logistic, exponential};

}  // namespace dagwright
