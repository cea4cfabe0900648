/** Names of the stacks of this level. Everything with one of these names is removed before each test file. */
export const LEVEL_STACKS = {
  one: "stack-test-one",
  other: "stack-test-two",
  story: "stack-test-story",
  scheduler: "stack-test-scheduler",
} as const;
