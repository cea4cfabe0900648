import { InvalidArgumentError } from "commander";
import { BAD_PORTS } from "../contract/bad-ports.ts";
import { wholeNumber } from "./options.ts";

/** Parses a port of a page for browsers. */
export const pagePort =
  (min: 0 | 1) =>
  (text: string): number => {
    const port = wholeNumber(min, 65_535)(text);
    if (!BAD_PORTS.has(port)) return port;
    throw new InvalidArgumentError("Allowed: a port to which browsers connect");
  };
