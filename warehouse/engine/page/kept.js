import { at, element } from "./dom.js";
import { choiceOf } from "./tables.js";

/** Queries that the user named, in the browser's storage. */
const PLACE = "kept-queries";

/** @returns {Record<string, string>} statements by name */
const read = () => JSON.parse(localStorage.getItem(PLACE) ?? "{}");

function write(queries, choose) {
  localStorage.setItem(PLACE, JSON.stringify(queries));
  listKept(choose);
}

/** Lists the kept queries, each with a button that forgets it. @param {(entry: import("./tables.js").Entry) => void} choose */
export function listKept(choose) {
  const queries = read();
  const items = Object.entries(queries).map(([name, sql]) => {
    const { [name]: _, ...others } = queries;
    const onclick = () => write(others, choose);
    const forget = element("button", { type: "button", title: `Forget ${name}`, onclick }, "×");
    return element(
      "div",
      { className: "table" },
      choiceOf(name, { about: name, sql }, choose),
      forget,
    );
  });
  at("kept").replaceChildren(...items);
}

/** Keeps a statement under a name that the user enters. */
export function keep(sql, choose) {
  const name = prompt("Name of the query")?.trim();
  if (name) write({ ...read(), [name]: sql }, choose);
}

/** Copies the address of a statement, without the password. */
export const copyLink = (sql) =>
  navigator.clipboard.writeText(
    `${location.origin}${location.pathname}#${encodeURIComponent(sql)}`,
  );
