import {
  countRows,
  csvOf,
  hasPassword,
  narrowTo,
  QueryError,
  query,
  ROW_LIMIT,
} from "./clickhouse.js";
import { at, counted, element } from "./dom.js";
import { createEditor } from "./editor.js";
import { explainError } from "./errors.js";
import { copyLink, keep, listKept } from "./kept.js";
import { clearResult, SHOWN_ROWS, showResult } from "./result.js";
import { choiceOf, DICTIONARY, listTables, readCatalogue, readSites } from "./tables.js";

/** Most characters that are shown of a statement's own FORMAT. */
const SHOWN_TEXT = 500_000;

const editor = createEditor(at("editor"));
/** Entries of the side list by their statements. */
const known = new Map();
/** Ends the running statement. @type {AbortController | undefined} */
let running;
/** Statement whose result is on display. */
let shownSql = "";

/** Runs the statement; ends one that still runs. */
async function run() {
  const { sql, place } = editor.statement();
  if (sql.trim() === "") return;
  running?.abort();
  const own = new AbortController();
  running = own;
  clearResult();
  editor.clear();
  at("about").textContent = known.get(sql)?.about ?? "";
  at("stop").hidden = false;
  setStatus("Running…");
  history.replaceState(null, "", `#${encodeURIComponent(place.document)}`);
  try {
    await show(sql, own.signal);
    repeat(sql, own, place);
  } catch (error) {
    if (running === own) showError(error, place);
  } finally {
    if (running === own) at("stop").hidden = true;
  }
}

/** Runs a statement again and again while its result is shown, if it is of the last minutes. */
function repeat(sql, own, place) {
  const { every } = known.get(sql) ?? {};
  if (every === undefined) return;
  setTimeout(async () => {
    if (running !== own) return;
    if (!document.hidden) {
      await show(sql, own.signal).catch((error) => running === own && showError(error, place));
    }
    repeat(sql, own, place);
  }, every * 1000);
}

/** Shows what a statement returns. */
async function show(sql, signal) {
  const start = performance.now();
  const { text, rows, result } = await query(sql, signal);
  const elapsed = `${((performance.now() - start) / 1000).toFixed(3)} s`;
  shownSql = sql;
  if (result) showResult(result, known.get(sql));
  else if (text !== "") at("result").append(element("pre", {}, text.slice(0, SHOWN_TEXT)));
  else return setStatus("Done", elapsed);
  const total = rows < ROW_LIMIT ? countText(rows) : await countAll(sql, signal);
  const cut = result && rows > SHOWN_ROWS ? ` (first ${counted(SHOWN_ROWS)} shown)` : "";
  // ClickHouse has read only a part for a result that was cut.
  const isWhole = result && rows < ROW_LIMIT;
  const read = isWhole ? [`${countText(result.statistics.rows_read)} read`] : [];
  if (running?.signal === signal) setStatus(total + cut, ...read, elapsed);
}

/** Counts the rows of a result that was cut. */
async function countAll(sql, signal) {
  setStatus("Counting rows…");
  return countRows(sql, signal).then(countText, () => `More than ${countText(ROW_LIMIT)}`);
}

const countText = (rows) => `${counted(rows)} ${rows === 1 ? "row" : "rows"}`;

function setStatus(...parts) {
  at("status").textContent = parts.join(" · ");
}

function showError(error, place) {
  if (error.name === "AbortError") return setStatus("Stopped");
  const { message, from, to } = explainError(error.message, place);
  setStatus("Failed");
  at("result").replaceChildren(element("pre", { className: "error" }, message));
  if (from !== undefined) editor.markError(from, to);
}

/** Downloads the whole result by repeating the statement. */
async function download() {
  try {
    const href = URL.createObjectURL(await csvOf(shownSql));
    element("a", { href, download: "result.csv" }).click();
    URL.revokeObjectURL(href);
  } catch (error) {
    setStatus(String(error));
  }
}

/** Shows and runs a statement of the side list. */
function choose(entry) {
  known.set(entry.sql, entry);
  editor.setText(entry.sql);
  foldLists();
  return run();
}

/** Lists the tables, for completion too. Returns true if there are marts. */
async function showCatalogue() {
  try {
    const catalogue = await readCatalogue();
    listTables(catalogue, { choose, insert: editor.insert });
    editor.complete(catalogue.words, catalogue.columns);
    await offerSites(catalogue);
    return catalogue.tables.some(({ database }) => database === "dm");
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    at("tables").replaceChildren(element("pre", { className: "error" }, error.message));
    return false;
  }
}

/** Offers the sites of the marts, if there are several. */
async function offerSites(catalogue) {
  const { sites, tables } = await readSites(catalogue);
  at("sites").hidden = sites.length < 2;
  const choices = sites.map((value) => element("option", { value }, value || "unknown"));
  at("site").append(...choices);
  at("site").addEventListener("change", () => {
    // The first choice is all.
    narrowTo(sites[at("site").selectedIndex - 1], tables);
    run();
  });
}

const phone = matchMedia("(max-width: 45rem)");

/** Closes the lists on a phone, which has no room for them beside a result. */
function foldLists() {
  at("lists").open = !phone.matches;
}

/** Names another workspace that was used last. */
async function showHint({ directory }) {
  const response = await fetch("./play/last");
  const last = response.ok ? (await response.text()).trim() : "";
  const isOther = last !== "" && last !== directory;
  at("hint").textContent = isOther
    ? `The workspace ${last.split("/").at(-1)} was used last. To query it, run make play again.`
    : "";
}

/** Returns the statement in the page's address. */
function linkedSql() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

/** Opens the page again with the password that the user enters. */
function askPassword() {
  at("login").hidden = false;
  at("bar").hidden = true;
  at("login").addEventListener("submit", (event) => {
    event.preventDefault();
    location.search = new URLSearchParams({ password: at("password").value }).toString();
  });
  at("password").focus();
}

/** Asks for a missing password, else lists the tables and runs the first question if there are marts. */
async function open({ questions: [first] }) {
  const linked = linkedSql();
  const text = linked || "SELECT version(), now()";
  editor.setText(text);
  if (!hasPassword) return askPassword();
  const hasMarts = await showCatalogue();
  // The user may have been faster.
  const isUntouched = editor.statement().place.document === text;
  if (hasMarts && isUntouched && !linked && first) await choose(first);
}

/** Takes the key before the editor, which would add a line. */
function runOnKey(event) {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  run();
}

const start = await (await fetch("./play/start.json")).json();
at("name").textContent = start.name;
document.title = `SQL · ${start.name} · Event Pipeline Stack`;
for (const question of start.questions) {
  known.set(question.sql, question);
  at("questions").append(choiceOf(question.title, question, choose));
}
at("run").addEventListener("click", run);
at("stop").addEventListener("click", () => running?.abort());
at("download").addEventListener("click", download);
at("keep").addEventListener("click", () => keep(editor.statement().place.document, choose));
at("link").addEventListener("click", async () => {
  await copyLink(editor.statement().place.document);
  setStatus("The address is copied");
});
listKept(choose);
at("dictionary").addEventListener("click", () => choose(DICTIONARY));
document.addEventListener("keydown", runOnKey, { capture: true });
phone.addEventListener("change", foldLists);
foldLists();
if (start.directory) {
  addEventListener("focus", () => showHint(start));
  showHint(start);
}
await open(start);
