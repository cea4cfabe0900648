export const settingHint = (key: string, value: string): string =>
  `set ${key} to ${value} in Pulumi.<stack>.yaml, then run make up`;

export const CREATE_COMMAND = "make up STACK=dev";
