import { UserError } from "../contract/errors.ts";

const LACKS = /^Cannot find (?:module|package) '([^']+)'/;

/** True for missing code or packages; images contain only the parts of some commands. */
export const isMissingPart = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

export const explainMissingPart = ({ message }: Error, command: string): UserError =>
  new UserError(
    `pipeline ${command} is not part of this installation, which lacks ${LACKS.exec(message)?.[1] ?? message}`,
    "run the command in a checkout of the project, after npm ci",
  );
