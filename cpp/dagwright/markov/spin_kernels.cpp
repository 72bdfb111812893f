#include "dagwright/markov/spin_kernels.hpp"

#include "dagwright/markov/spin_kernel_sets.hpp"

namespace dagwright {

std::vector<const SpinKernels*> available_spin_kernels() {
  std::vector<const SpinKernels*> sets{&kPlainSpinKernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) sets.push_back(&kAvx2SpinKernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    sets.push_back(&kAvx512SpinKernels);
  }
#endif
  return sets;
}

const SpinKernels& best_spin_kernels() {
  static const SpinKernels* const best = available_spin_kernels().back();
  return *best;
}

}  // namespace dagwright
