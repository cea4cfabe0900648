/**
 * Ignores that a reader such as `head` has closed the pipe: the command completes its work, and its
 * exit code stays its own result. `prove | head` still fails when messages are missing, and a load or
 * `serve` is not cut off.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
