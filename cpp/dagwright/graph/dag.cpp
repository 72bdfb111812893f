#include "dagwright/base/types.hpp"
