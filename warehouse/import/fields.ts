import type { Field } from "../../contract/field.ts";
import { STREAMS, streams } from "../../contract/streams.ts";

/** All fields of the four messages; `event_id` and `click_id` are in several. */
export const FIELDS: Readonly<Record<string, Field>> = Object.assign(
  {},
  ...STREAMS.map((stream) => streams[stream].fields),
);
