import { UserError } from "../contract/errors.ts";

const LACKS = /^Cannot find (?:module|package) '([^']+)'/;

/** Where code or a package is not there: an image holds only what its own commands need. */
export const isMissingPart = (error: unknown): error is Error =>
  error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";

/** The same in plain words. `command`: what was asked for. */
export const explainMissingPart = ({ message }: Error, command: string): UserError =>
  new UserError(
    `pipeline ${command} is not part of this installation: it lacks ${LACKS.exec(message)?.[1] ?? message}`,
    "run it in a checkout of the project, where npm ci installs everything",
  );
