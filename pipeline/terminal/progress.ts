import cliProgress from "cli-progress";

export interface Progress {
  /** `ratio` is the share that is done, 0 to 1. */
  update(ratio: number, note: string): void;
  /** Ends with a line that stays. */
  done(note: string): void;
  /** Ends without a trace. */
  stop(): void;
}

/** A bar on a terminal; elsewhere one plain line at the end. Writes to stderr. */
export function startProgress(title: string): Progress {
  if (!process.stderr.isTTY) {
    return { update() {}, stop() {}, done: (note) => process.stderr.write(`${title}: ${note}\n`) };
  }
  const bar = new cliProgress.SingleBar(
    {
      format: `${title} {bar} {percentage}% {note}`,
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  bar.start(1000, 0, { note: "" });
  return {
    update: (ratio, note) => bar.update(Math.round(ratio * 1000), { note }),
    done(note) {
      bar.stop();
      process.stderr.write(`${title}: ${note}\n`);
    },
    stop: () => bar.stop(),
  };
}
