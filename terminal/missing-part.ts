import { UserError } from "../contract/errors.ts";

const LACKS = /^Cannot find (?:module|package) '([^']+)'/;

/** True for missing code or packages: an image holds only those of its own commands. */
export const isMissingPart = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

export const explainMissingPart = ({ message }: Error, command: string): UserError =>
  new UserError(
    `pipeline ${command} is not part of this installation: it lacks ${LACKS.exec(message)?.[1] ?? message}`,
    "run it in a checkout of the project after npm ci",
  );
