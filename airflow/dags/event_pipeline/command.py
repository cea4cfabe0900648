"""Operator of all tasks: runs a command of the pipeline's command line."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

from airflow.sdk import BaseOperator, BaseXCom
from airflow.sdk.exceptions import AirflowException

#: Project root, in the image and in a checkout.
ROOT = Path(__file__).resolve().parents[3]
CLI = ("node", str(ROOT / "cli" / "main.ts"))


class PipelineOperator(BaseOperator):
    """Runs ``pipeline ARGUMENTS``; a non-zero exit code fails the task with the command's error.

    Output from a line that begins with ``note:`` becomes the XCom ``note``, which
    ``pipeline dag run`` prints.

    :param arguments: words of the command, templated; words that render empty are omitted
    :param returns_json: True if the command prints JSON to stdout, which becomes the task's XCom
        even if the command fails
    :param guard: called with the task instance before the command; raises to prevent the command
    """

    template_fields: Sequence[str] = ("arguments",)
    ui_color = "#dcebf7"

    def __init__(
        self,
        *,
        arguments: Sequence[str],
        returns_json: bool = False,
        guard: Callable[[Any], None] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.arguments = arguments
        self.returns_json = returns_json
        self.guard = guard
        self._process: subprocess.Popen[str] | None = None

    def execute(self, context: Any) -> Any:
        """Runs the command, with the output in the task's log."""
        if self.guard is not None:
            self.guard(context["ti"])
        words = [word for word in self.arguments if word]
        self.log.info("pipeline %s", " ".join(words))
        printed, complaints, code = self._run(words)
        if note := _from_line("note:", printed):
            context["ti"].xcom_push("note", note)
        if code == 0:
            return json.loads("\n".join(printed)) if self.returns_json else None
        if self.returns_json and printed:
            context["ti"].xcom_push(BaseXCom.XCOM_RETURN_KEY, json.loads("\n".join(printed)))
        raise AirflowException(_last_words(complaints) or f"exit code {code}")

    def on_kill(self) -> None:
        """Ends the command, whose lease then expires (``warehouse/batch/lease.ts``)."""
        if self._process is not None:
            self._process.terminate()

    def _run(self, words: Sequence[str]) -> tuple[list[str], list[str], int]:
        process = subprocess.Popen(
            [*CLI, *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "NO_COLOR": "1"},
            text=True,
            encoding="utf-8",
            # Invalid UTF-8 must not end the reader, because the command would block.
            errors="replace",
        )
        self._process = process
        printed: list[str] = []
        complaints: list[str] = []
        threads = [
            _reader(process.stdout, printed, self.log.info),
            _reader(process.stderr, complaints, self.log.info),
        ]
        code = process.wait()
        for thread in threads:
            thread.join()
        return printed, complaints, code


def _reader(
    stream: IO[str] | None, lines: list[str], log: Callable[[str, str], None]
) -> threading.Thread:
    """Reads a stream in a thread, so that no stream blocks the process."""

    def read() -> None:
        for line in stream or ():
            lines.append(line.rstrip("\n"))
            log("%s", lines[-1])

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    return thread


def _last_words(complaints: Sequence[str]) -> str:
    """Returns the text from the line that begins with ``error:``, else the last lines."""
    return _from_line("error:", complaints) or "\n".join(complaints[-5:])


def _from_line(beginning: str, lines: Sequence[str]) -> str:
    """Returns the text from the first line with this beginning; empty without one."""
    starts = (index for index, line in enumerate(lines) if line.startswith(beginning))
    start = next(starts, len(lines))
    return "\n".join(lines[start:])
