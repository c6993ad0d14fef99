"""The whole battery: every attack by its name, and the variable in which its driver finds a key worth stealing."""

from __future__ import annotations

from tests.sandbox import (
    battery_files,
    battery_kernel,
    battery_memory,
    battery_network,
    battery_processes,
    battery_results,
    battery_room,
    battery_state,
    battery_time,
)

KEY = "LLMARITH_BATTERY_API_KEY"

_ROOMS = (
    battery_files,
    battery_memory,
    battery_processes,
    battery_time,
    battery_room,
    battery_results,
    battery_state,
    battery_network,
    battery_kernel,
)

ATTACKS = {attack.name: attack for room in _ROOMS for attack in room.ATTACKS}
