/** How a user of make changes a setting of the stack. */
export const settingHint = (key: string, value: string): string =>
  `set ${key} to ${value} in Pulumi.<stack>.yaml, then make up`;

/** How a user of make creates a stack. */
export const CREATE_COMMAND = "make up STACK=dev";
