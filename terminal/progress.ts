import cliProgress from "cli-progress";

export interface Progress {
  /** `ratio` is the share that is done, 0 to 1. */
  update(ratio: number, note: string): void;
  /** Ends with a line that stays. */
  done(note: string): void;
  /** Ends and clears the line. */
  stop(): void;
}

/** Interval of lines without a terminal, milliseconds. */
const LINE_EVERY_MS = 15_000;

/** Shows a bar on a terminal, otherwise a line from time to time. Writes to stderr. */
export function startProgress(title: string): Progress {
  if (!process.stderr.isTTY) return plainProgress(title);
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

function plainProgress(title: string): Progress {
  const print = (text: string) => process.stderr.write(`${title}: ${text}\n`);
  let latest = performance.now();
  return {
    update(ratio, note) {
      if (performance.now() - latest < LINE_EVERY_MS) return;
      latest = performance.now();
      print(Number.isFinite(ratio) ? `${Math.round(ratio * 100)}% ${note}` : note);
    },
    stop() {},
    done: print,
  };
}
