import pino from "pino";

type Fields = Readonly<Record<string, unknown>>;

export interface Log {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export const openLog = (): Log => (process.stdout.isTTY ? plainLog() : jsonLog());

function jsonLog(): Log {
  // Writes synchronously, so that a killed process loses no line.
  const logger = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 1, sync: true }),
  );
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
  };
}

function plainLog(): Log {
  const print =
    (level: string) =>
    (message: string, fields: Fields = {}): void => {
      const pairs = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
      const time = new Date().toISOString().slice(11, 19);
      process.stdout.write(`${[time, level, message, ...pairs].join(" ")}\n`);
    };
  return { info: print("     "), warn: print("warn "), error: print("error") };
}
