export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));
