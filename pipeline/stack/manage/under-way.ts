import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { stackFolder, writePrivate } from "../state.ts";

/** Stands while a start of ours makes containers, and stays when it is cut off or fails. */
const markFile = (stack: string): string => join(stackFolder(stack), "up-under-way");

export const beginRun = (stack: string): void =>
  writePrivate(markFile(stack), `${new Date().toISOString()}\n`);

/** All that was made is recorded, or nothing of it is there any more. */
export const endRun = (stack: string): void => rmSync(markFile(stack), { force: true });

/** Whether a start may have made containers that nobody recorded. */
export const wasCutOff = (stack: string): boolean => existsSync(markFile(stack));
