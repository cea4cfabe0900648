/** Names of the stacks that this level starts; no other stack on the machine has them. */
export const LEVEL_STACKS = {
  one: "level-one",
  other: "level-two",
  story: "level-story",
  scheduler: "level-scheduler",
  leftover: "level-leftover",
} as const;
