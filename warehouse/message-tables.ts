import { type StreamName, streams } from "../contract/streams.ts";

/** Names the tables of a stream: {raw} of stg, {typed} and {errors} of ods. */
export const messageTables = (stream: StreamName) => ({
  raw: `${stream}_raw`,
  typed: streams[stream].table,
  errors: `${streams[stream].table}_errors`,
});
