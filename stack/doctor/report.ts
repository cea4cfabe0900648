import { formatNumber } from "../../terminal/format.ts";
import type { Finding } from "./check.ts";

const MARKS = { ok: "ok  ", warn: "warn", fail: "FAIL" } as const;

export function renderReport(findings: readonly Finding[]): string {
  const lines = [renderFindings(findings), "", summary(findings)];
  const isDockerMissing = findings.some(
    ({ check, status }) => check === "docker" && status === "fail",
  );
  if (isDockerMissing) lines.push("make demo works without Docker.");
  return lines.join("\n");
}

export const renderFindings = (findings: readonly Finding[]): string =>
  findings
    .map(({ check, status, detail, hint }) => {
      const line = `${MARKS[status]}  ${check.padEnd(11)} ${detail}`;
      return hint ? `${line}\n        hint: ${hint}` : line;
    })
    .join("\n");

function summary(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]): number =>
    findings.filter((one) => one.status === status).length;
  const [problems, warnings] = [count("fail"), count("warn")];
  if (problems + warnings === 0) return "No problems.";
  const notes = warnings === 0 ? "" : `, ${formatNumber(warnings, "warning")}`;
  return problems === 0
    ? `No problems${notes}.`
    : `${formatNumber(problems, "problem")} to fix before make up${notes}.`;
}

/** Removes duplicates, because several checks report an engine that does not answer. */
export const withoutRepetition = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((one) => [`${one.check} ${one.detail}`, one])).values(),
];
