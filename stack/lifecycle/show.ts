import { isFed } from "../../components/config.ts";
import type { Page } from "../../components/shared/page.ts";
import { UserError } from "../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import { execute } from "../../terminal/process.ts";
import { localConfig } from "./local-config.ts";
import { readPages } from "./outputs.ts";
import { serviceRows } from "./owned-resources.ts";
import { deploymentOf } from "./recover.ts";
import { changeHint } from "./stack-file.ts";

function renderPages(stack: string, pages: readonly Page[]): string {
  const rows = pages.map(({ title, url, user = "" }) => [title, url, user]);
  return `${renderTable(["service", "address", "user"], rows)}\n${passwords(stack)}`;
}

const passwords = (stack: string): string => `Passwords: make secrets STACK=${stack}`;

/** Returns the text at the end of `make up`. */
export async function closingScreen(stack: string): Promise<string> {
  const pages = await readPages(stack);
  const config = await localConfig(stack);
  const isLive = config.mode === "live" && isFed(config);
  const prove = `make prove STACK=${stack} checks that no event was lost.`;
  const commands = [...(config.generator === false ? [] : ["generator-up"]), "transform", "prove"];
  const next = `Next: ${commands.map((command) => `make ${command} STACK=${stack}`).join(", ")}.`;
  return [
    renderPages(stack, pages),
    "",
    ...(isLive ? firstLooks(pages) : []),
    isLive ? prove : next,
    `Stop: make down STACK=${stack} (keeps the data); make clean STACK=${stack} (removes everything).`,
  ].join("\n");
}

function firstLooks(pages: readonly Page[]): string[] {
  const looks = pages.flatMap(({ first }) => (first ? [`${first.url}  ${first.shows}`] : []));
  return looks.length > 0 ? ["Look first at:", ...looks.map((line) => `  ${line}`), ""] : [];
}

interface Addresses {
  readonly text: string;
  readonly areAllAnswering: boolean;
}

/** Lists the addresses, and requests those that are pages. */
export async function urls(stack: string): Promise<Addresses> {
  const pages = await readPages(stack);
  const answers = await Promise.all(pages.map(({ url }) => answerOf(url)));
  const rows = pages.map(({ title, url, user = "" }, index) => [
    title,
    url,
    user,
    answers[index] ?? "",
  ]);
  const silent = pages.filter((_, index) => answers[index]?.startsWith("no"));
  const hints = new Set(silent.map((page) => `hint: ${startHint(stack, page)}`));
  const table = renderTable(["service", "address", "user", "answers"], rows);
  return {
    text: [table, passwords(stack), ...hints].join("\n"),
    areAllAnswering: silent.length === 0,
  };
}

/** Returns how to start a server; the stack cannot start an external one. */
const startHint = (stack: string, { title, isExternal = false }: Page): string =>
  isExternal
    ? `start ${title} where it runs, or ${changeHint(stack, "correct its address")}, then run make up STACK=${stack}`
    : `run make ps STACK=${stack}, then make up STACK=${stack}`;

const WITHIN_MS = 5_000;

/** Requests a page. @returns yes, or no with the reason; undefined for another protocol, such as Kafka's */
async function answerOf(url: string): Promise<string | undefined> {
  if (!/^https?:/.test(url)) return undefined;
  try {
    const options = { headers: { connection: "close" }, signal: AbortSignal.timeout(WITHIN_MS) };
    const { status, body } = await fetch(url, options);
    await body?.cancel();
    return status < 400 ? "yes" : `no: HTTP status ${status}`;
  } catch (error) {
    return `no: ${reasonOf(error)}`;
  }
}

/** Returns a reason; `fetch` has the error of the connection as its cause. */
function reasonOf(error: unknown): string {
  const { name, message, code, cause } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError") return `no answer within ${WITHIN_MS / 1000} s`;
  if (cause) return reasonOf(cause);
  return code === "ECONNREFUSED" ? "nothing listens there" : message;
}

/** Lists the services that run or should run. @throws UserError if there is no such stack */
export async function ps(stack: string): Promise<string> {
  const { resources, identity } = await deploymentOf(stack);
  const rows = await serviceRows(identity, ["{{.State}}", "{{.Status}}", "{{.Names}}"]);
  const present = new Set(rows.map(([service]) => service));
  const absent = resources
    // The provider does not start the container of a job.
    .filter(({ type, inputs }) => type?.endsWith(":Container") && inputs?.start !== false)
    .map(({ urn }) => urn.split("::").at(-1) ?? "")
    .filter((service) => !present.has(service));
  const missing = absent.map((service) => [service, "missing", `run make up STACK=${stack}`]);
  if (rows.length + missing.length === 0) return `Nothing runs. hint: run make up STACK=${stack}`;
  return renderTable(["service", "state", "status", "container"], [...rows, ...missing]);
}

export async function logs(stack: string, service: string | undefined): Promise<void> {
  const { identity } = await deploymentOf(stack);
  const rows = await serviceRows(identity, ["{{.Names}}"]);
  if (rows.length === 0)
    throw new UserError(`The stack ${stack} is not up`, `run make up STACK=${stack}`);
  const containers = new Map(rows.map(([label = "", name = ""]) => [label, name]));
  if (service === undefined) {
    for (const [label, name] of containers) {
      process.stdout.write(`\n${label}\n`);
      await execute("docker", ["logs", "--tail", "20", name], { output: "show" });
    }
    return;
  }
  const name = containers.get(service);
  if (!name) {
    throw new UserError(
      `No service "${service}" in the stack ${stack}; there are: ${[...containers.keys()].join(", ") || "none"}`,
      `run make ps STACK=${stack}`,
    );
  }
  await execute("docker", ["logs", "--follow", "--tail", "200", name], { output: "show" });
}
