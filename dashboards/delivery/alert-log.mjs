/**
 * Contact point without an external service: logs alerts from POST /alerts. For drills, /metrics
 * serves the samples from `alert-log.mjs feed`.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const PORT = Number(process.env.ALERT_LOG_PORT ?? 8090);
const MAX_BODY_BYTES = 1024 * 1024;
const FED = process.env.ALERT_LOG_FED ?? "/tmp/drill.json";

if (process.argv[2] === "feed") feed();
else createServer(answer).listen(PORT);

/** Renames the file into place, so that a concurrent reader never gets half of it. */
function feed() {
  const written = `${FED}.${process.pid}`;
  writeFileSync(written, readFileSync(0));
  renameSync(written, FED);
}

function answer(request, response) {
  if (request.method === "POST" && request.url === "/alerts") return receive(request, response);
  if (request.url === "/metrics") return send(response, 200, metrics());
  return send(response, request.url === "/healthz" ? 200 : 404, "");
}

async function receive(request, response) {
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY_BYTES) return send(response, 413, "");
  }
  log(body);
  return send(response, 204, "");
}

/** One line per alert: what, in which state, since when. */
function log(body) {
  try {
    const { alerts = [] } = JSON.parse(body);
    for (const { status, labels = {}, annotations = {}, startsAt, endsAt } of alerts) {
      const { alertname, severity, ...rest } = labels;
      // Without Grafana's own labels, such as the folder of the rule.
      const own = Object.entries(rest).filter(([name]) => !/^(grafana_folder|__.*__)$/.test(name));
      const line = { status, alert: alertname, severity, labels: Object.fromEntries(own) };
      const { summary, hint, runbook_url, runbook = runbook_url } = annotations;
      const ended = status === "resolved" ? { endsAt } : {};
      process.stdout.write(`${JSON.stringify({ ...line, summary, hint, startsAt, ...ended, runbook })}\n`);
    }
  } catch {
    process.stdout.write(`${JSON.stringify({ status: "unreadable", body })}\n`);
  }
}

/** Samples of the drills, with counters grown since the start; none outside of drills. */
function metrics() {
  if (!existsSync(FED)) return "";
  return JSON.parse(readFileSync(FED, "utf8"))
    .map(({ since, metric, labels, value, perSecond = 0 }) => {
      const seconds = (Date.now() - since) / 1000;
      const start = typeof value === "number" ? value : Date.now() / 1000 + value.now;
      const pairs = Object.entries(labels).map(([key, text]) => `${key}=${JSON.stringify(text)}`);
      return `${metric}{${pairs.join(",")}} ${start + perSecond * seconds}\n`;
    })
    .join("");
}

function send(response, status, text) {
  response.writeHead(status, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
  response.end(text);
}

for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0));
