/** Runs `restore` on Ctrl+C, the newest first, then ends as the signal does. Returns its removal. */
export function onInterrupt(restore: () => void): () => void {
  const remove = () => void process.off("SIGINT", handle);
  const handle = () => {
    remove();
    restore();
    // Without a listener, the signal ends the process, so that make reports it.
    if (process.listenerCount("SIGINT") === 0) process.kill(process.pid, "SIGINT");
  };
  process.prependListener("SIGINT", handle);
  return remove;
}
