"""Settings of all tests: hypothesis tries the same examples every time, unless told otherwise.

``HYPOTHESIS_PROFILE=thorough pytest`` tries many new ones.
"""

import os
import signal

from hypothesis import HealthCheck, settings

slow_draws = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile(
    "default", deadline=None, max_examples=25, derandomize=True, suppress_health_check=slow_draws
)
settings.register_profile(
    "thorough", deadline=None, max_examples=500, suppress_health_check=slow_draws
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

# A shell starts jobs in the background deaf to Ctrl-C, which tests send.
signal.signal(signal.SIGINT, signal.default_int_handler)
