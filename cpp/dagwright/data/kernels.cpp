#include "dagwright/data/kernels.hpp"

#include "dagwright/data/kernel_sets.hpp"

namespace dagwright {

std::vector<const Kernels*> available_kernels() {
  std::vector<const Kernels*> sets{&kScalarKernels};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) sets.push_back(&kAvx2Kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    sets.push_back(&kAvx512Kernels);
  }
#endif
  return sets;
}

const Kernels& best_kernels() {
  static const Kernels* const best = available_kernels().back();
  return *best;
}

}  // namespace dagwright
