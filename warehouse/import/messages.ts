import type { Field } from "../../contract/field.ts";
import { type StreamName, streams } from "../../contract/streams.ts";

/**
 * Returns the SELECT of a stream's messages: the contract's fields, for a session each with its first value.
 * @param withNumber adds the number of the row that gives the message
 */
export function messagesOf(stream: StreamName, withNumber = false): string {
  const fields = Object.entries<Field>(streams[stream].fields);
  const view = `${stream}_message AS message`;
  if (stream === "browser" || stream === "location") {
    const number = withNumber ? "message.row.number AS number, " : "";
    return `SELECT ${number}${fields.map(([name]) => name).join(", ")} FROM ${view}`;
  }
  const values = fields.map(([name, { column }]) => {
    const value = `message.${name}`;
    if (name === "click_id") return value;
    const isGiven = column.startsWith("Nullable") ? `isNotNull(${value})` : `${value} != ''`;
    return `argMinIf(${value}, place, ${isGiven}) AS ${name}`;
  });
  const number = withNumber ? "min(message.row.number) AS number, " : "";
  return `SELECT ${number}${values.join(", ")} FROM ${view} GROUP BY click_id HAVING max(has_message)`;
}
