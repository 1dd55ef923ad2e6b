"""dtsim -- predicts distributed deep-learning training, by the program of that name.

    result = dtsim.predict("imagenet_1h", devices=[8, 256])
    for point in result.points:
        print(point.strategy, point.devices, point.step.total_s)
    result.to_pandas()
"""

from .calls import check, help_about as help, list_of as list, new_scenario, predict, schema  # noqa: A004
from .program import DtsimError, InputError, MachineError, UnsupportedError, find_program, program_version
from .result import Record, Result
from .version import __version__

__all__ = ["DtsimError", "InputError", "MachineError", "Record", "Result", "UnsupportedError", "__version__", "check",
           "find_program", "help", "list", "new_scenario", "predict", "program_version", "schema"]
