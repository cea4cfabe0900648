import { UserError } from "../../contract/errors.ts";
import { renderTable } from "../../terminal/format.ts";
import { execute } from "../../terminal/process.ts";
import { checkKafka, checkPage } from "../answers.ts";
import { changeHint } from "../make-hints.ts";
import { type Page, readPages } from "./outputs.ts";
import { serviceRows } from "./owned-resources.ts";
import { requireStack } from "./workspace.ts";

export function renderPages(stack: string, pages: readonly Page[]): string {
  const rows = pages.map(({ title, url, user }) => [title, url, user]);
  return `${renderTable(["service", "address", "user"], rows)}\n${passwords(stack)}`;
}

const passwords = (stack: string): string => `Passwords: make secrets STACK=${stack}`;

interface Addresses {
  readonly text: string;
  readonly areAllAnswering: boolean;
}

/** Lists the pages, and requests each of them. */
export async function urls(stack: string): Promise<Addresses> {
  const pages = await readPages(stack);
  const reasons = await Promise.all(pages.map(({ url }) => checkAddress(url)));
  const rows = pages.map(({ title, url, user }, index) => {
    const reason = reasons[index];
    return [title, url, user, reason === undefined ? "yes" : `no: ${reason}`];
  });
  const silent = pages.filter((_, index) => reasons[index] !== undefined);
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

/** Requests an address: a page, or brokers as `host:port,host:port`. */
async function checkAddress(url: string): Promise<string | undefined> {
  if (/^https?:/.test(url)) return checkPage(url);
  for (const address of url.split(",")) {
    const [, host = "", port] = /^(.*):(\d+)$/.exec(address) ?? [];
    const reason = await checkKafka(host, Number(port));
    if (reason !== undefined) return `${address}, ${reason}`;
  }
  return undefined;
}

export async function ps(stack: string): Promise<string> {
  const rows = await serviceRows(stack, ["{{.State}}", "{{.Status}}", "{{.Names}}"]);
  if (rows.length === 0) return `Nothing runs. hint: run make up STACK=${stack}`;
  return renderTable(["service", "state", "status", "container"], rows);
}

/** Returns the error for a stack without containers. @throws UserError if there is no such stack */
async function notUp(stack: string): Promise<UserError> {
  await requireStack(stack);
  return new UserError(`The stack ${stack} is not up`, `run make up STACK=${stack}`);
}

export async function logs(stack: string, service: string | undefined): Promise<void> {
  const rows = await serviceRows(stack, ["{{.Names}}"]);
  if (rows.length === 0) throw await notUp(stack);
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
