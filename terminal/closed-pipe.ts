/**
 * Ignores a pipe closed by a reader such as `head`: the command finishes, and its exit code stays
 * its own.
 */
export function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
