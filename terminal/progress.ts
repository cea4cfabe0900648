import cliProgress from "cli-progress";

export interface Progress {
  /** 0 to 1. */
  update(ratio: number, note: string): void;
  done(note: string): void;
  stop(): void;
}

const LINE_EVERY_MS = 15_000;

/** Without a terminal, a line from time to time. Writes to stderr. */
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
