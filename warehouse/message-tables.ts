import { type StreamName, streams } from "../contract/streams.ts";

/** Tables of a stream as parameters of a query: {raw} of stg, {typed} and {errors} of ods. */
export const messageTables = (stream: StreamName) => ({
  raw: `${stream}_raw`,
  typed: streams[stream].table,
  errors: `${streams[stream].table}_errors`,
});
