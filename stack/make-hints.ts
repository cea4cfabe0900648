import { hasFile, shownFile } from "./lifecycle/stack-file.ts";

/** Prefix of a hint that needs the stack's file, which `make` may not have written yet. */
export const initFirst = (stack: string): string =>
  hasFile(stack) ? "" : `run make init STACK=${stack} with the same options, then `;

/** Returns a hint to change the stack's file. @param change such as `set KEY to VALUE` */
export const changeHint = (stack: string, change: string): string =>
  `${initFirst(stack)}${change} in ${shownFile(stack)}`;

/** Suffix of a hint that repeats a refused `make up`, which has not written the options. */
export const withOptions = (stack: string): string =>
  hasFile(stack) ? "" : " with your other options";

export const settingHint = (stack: string, key: string, value: string): string =>
  `${changeHint(stack, `set ${key} to ${value}`)}, then run make up STACK=${stack}`;

export const CREATE_COMMAND = "make up STACK=dev";
