import { exception } from "./errors.ts";

/** Settings that contain SQL, which may read files and which statement checks do not see. */
export const FILTER_SETTINGS: readonly string[] = [
  "additional_table_filters",
  "additional_result_filter",
];

export const filterSettingRefused = (name: string) =>
  exception(
    "READONLY",
    `GET is read-only: the setting '${name}' is not allowed. hint: send the statement by POST`,
  );
