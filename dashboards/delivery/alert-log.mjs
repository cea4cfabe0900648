/** Contact point without an external service: logs alerts from POST /alerts. */
import { createServer } from "node:http";

const PORT = Number(process.env.ALERT_LOG_PORT ?? 8090);
const MAX_BODY_BYTES = 1024 * 1024;

createServer(answer).listen(PORT);

function answer(request, response) {
  if (request.method === "POST" && request.url === "/alerts") return receive(request, response);
  response.writeHead(request.url === "/healthz" ? 200 : 404).end();
}

async function receive(request, response) {
  let body = "";
  for await (const chunk of request) {
    body += chunk;
    if (body.length > MAX_BODY_BYTES) return response.writeHead(413).end();
  }
  log(body);
  response.writeHead(204).end();
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

for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit(0));
