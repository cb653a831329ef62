"""How BenchExec, the harness of verification research, runs Litmoscope: ``tool="litmoscope.benchexec"`` in a benchmark's definition.

It needs BenchExec, and the command ``litmoscope`` on the path. Options of the definition are those of ``litmoscope explore``. A program without errors and data
races, whose condition holds, is ``true``, and ``false`` otherwise; what a bound left open is ``unknown``. It runs on as many threads as there are cores for it, and
the limit on CPU time becomes ``--timeout``, so that the verdict says what was found until then.
"""

from __future__ import annotations

from typing import Any

from benchexec import result  # type: ignore[import-untyped]
from benchexec.tools.template import BaseTool2  # type: ignore[import-untyped]

#: How many seconds before BenchExec's limit to stop.
MARGIN = 2


class Tool(BaseTool2):  # type: ignore[misc]
    """Litmoscope as BenchExec sees it."""

    def executable(self, tool_locator: Any) -> str:
        """Where the command is."""
        return str(tool_locator.find_executable("litmoscope"))

    def name(self) -> str:
        """What tables call it."""
        return "Litmoscope"

    def version(self, executable: str) -> str:
        """The version that the command prints."""
        return str(self._version_from_tool(executable, line_prefix="litmoscope"))

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        """Explores the task's file."""
        cores = rlimits.cpu_cores or 1
        threads = [] if "--threads" in options else ["--threads", str(cores)]
        limit = rlimits.cputime
        timeout = [] if limit is None or "--timeout" in options else ["--timeout", str(max(1, (limit - MARGIN) // cores))]
        return [executable, "explore", *options, *threads, *timeout, task.single_input_file]

    def determine_result(self, run: Any) -> str:
        """The verdict, by the exit status."""
        verdicts = {0: result.RESULT_TRUE_PROP, 1: result.RESULT_FALSE_PROP, 3: result.RESULT_UNKNOWN}
        return str(verdicts.get(run.exit_code.value, result.RESULT_ERROR))
