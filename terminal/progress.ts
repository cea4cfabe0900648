import cliProgress from "cli-progress";
import { onInterrupt } from "./process.ts";

export interface Progress {
  /** Shows the progress. @param ratio 0 to 1 */
  update(ratio: number, note: string): void;
  done(note: string): void;
  stop(): void;
}

const LINE_EVERY_MS = 15_000;

/** Shows progress on stderr: a bar on a terminal, else a line every 15 seconds. */
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
  const release = onInterrupt(() => bar.stop());
  const stop = () => {
    release();
    bar.stop();
  };
  return {
    update: (ratio, note) => bar.update(Math.round(ratio * 1000), { note }),
    done(note) {
      stop();
      process.stderr.write(`${title}: ${note}\n`);
    },
    stop,
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
