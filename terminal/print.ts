export const printLine = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** Prints a result of the database; says so if the terminal is too narrow for it. */
export function printResult(result: Uint8Array): void {
  process.stdout.write(result);
  const { columns } = process.stdout;
  if (!columns) return;
  const widest = Buffer.from(result)
    .toString()
    .split("\n")
    .reduce((most, line) => Math.max(most, line.length), 0);
  if (widest <= columns) return;
  process.stderr.write(
    `The lines have up to ${widest} characters, the terminal ${columns}. hint: add --format Vertical (FORMAT=Vertical)\n`,
  );
}

export const printJson = (value: unknown): void => printLine(JSON.stringify(value, null, 2));
