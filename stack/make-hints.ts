import { hasFile, shownFile } from "./lifecycle/stack-file.ts";

/** Prefix of a hint that changes the stack's file, for a stack that is not created yet. */
export const initFirst = (stack: string): string =>
  hasFile(stack) ? "" : `run make init STACK=${stack} with the same options, then `;

/** Suffix of a hint that repeats a refused `make up`, which has not written the options. */
export const withOptions = (stack: string): string =>
  hasFile(stack) ? "" : " with your other options";

export const settingHint = (stack: string, key: string, value: string): string =>
  `${initFirst(stack)}set ${key} to ${value} in ${shownFile(stack)}, then run make up STACK=${stack}`;

export const CREATE_COMMAND = "make up STACK=dev";
