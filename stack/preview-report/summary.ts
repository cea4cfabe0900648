import type { Change, Kind } from "./changes.ts";
import { impactOf } from "./impact.ts";
import { monitoringImpact } from "./monitoring.ts";

export interface Answer {
  readonly question: string;
  readonly answers: readonly string[];
}

const KINDS: readonly Kind[] = ["added", "changed", "replaced", "deleted"];

export const list = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(", ");

/** Answers the reviewer's questions, always the first five. @param tableLoss not part of a Pulumi plan */
export function summarise(changes: readonly Change[], tableLoss: readonly string[] = []): Answer[] {
  const impact = impactOf(changes);
  const monitoring = monitoringImpact(changes);
  const named = (names: readonly string[]) => (names.length > 0 ? [list(names)] : []);
  const always: Answer[] = [
    { question: "Resources", answers: counts(changes) },
    { question: "Restarts", answers: named(impact.restarted) },
    {
      question: "Data at risk",
      answers: [
        ...impact.volumesAtRisk.map(
          (volume) => `:warning: volume \`${volume}\` is deleted; \`make up\` refuses this`,
        ),
        ...impact.keysAtRisk.map(
          (key) =>
            `:warning: data encrypted with the key \`${key}\` cannot be read; \`make up\` refuses this`,
        ),
        ...impact.disposableVolumes.map((volume) => `logs or metrics in volume \`${volume}\``),
        ...tableLoss,
      ],
    },
    { question: "Dashboards", answers: named(monitoring.dashboards) },
    { question: "Alert rules", answers: named(monitoring.alerts) },
  ];
  const sometimes: Answer[] = [
    { question: "Removed services", answers: named(impact.removed) },
    { question: "Commands that run", answers: named(impact.commands) },
    {
      question: "Published ports",
      answers: moved(impact.portsBefore.join(", "), impact.portsAfter.join(", ")),
    },
    {
      question: "Memory limits (MiB)",
      answers: moved(String(impact.memoryBefore), String(impact.memoryAfter)),
    },
  ];
  return [
    ...always.map(({ question, answers }) => ({
      question,
      answers: answers.length > 0 ? answers : ["none"],
    })),
    ...sometimes.filter(({ answers }) => answers.length > 0),
  ];
}

const moved = (before: string, after: string): string[] =>
  before === after ? [] : [`${before || "none"} → ${after || "none"}`];

const counts = (changes: readonly Change[]): string[] =>
  KINDS.flatMap((kind) => {
    const names = changes.filter((change) => change.kind === kind).map(({ name }) => name);
    return names.length > 0 ? [`${names.length} ${kind}: ${list(names)}`] : [];
  });
