/** Names of the stacks of this level, which removes what has them before each file. */
export const LEVEL_STACKS = {
  one: "stack-test-one",
  other: "stack-test-two",
  story: "stack-test-story",
  scheduler: "stack-test-scheduler",
  leftover: "stack-test-leftover",
} as const;
