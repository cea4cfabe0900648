import type { Change, Kind } from "./changes.ts";
import { meaningOf } from "./meaning.ts";
import { meaningOfMonitoring } from "./monitoring.ts";

export interface Answer {
  readonly question: string;
  readonly answers: readonly string[];
}

const KINDS: readonly Kind[] = ["added", "changed", "replaced", "deleted"];

export const list = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(", ");

/** The first five questions are always answered. @param tableLoss is not part of a Pulumi plan */
export function summarise(changes: readonly Change[], tableLoss: readonly string[] = []): Answer[] {
  const meaning = meaningOf(changes);
  const monitoring = meaningOfMonitoring(changes);
  const named = (names: readonly string[]) => (names.length > 0 ? [list(names)] : []);
  const always: Answer[] = [
    { question: "Resources", answers: counts(changes) },
    { question: "Restarts", answers: named(meaning.restarted) },
    {
      question: "Data at risk",
      answers: [
        ...meaning.volumesAtRisk.map(
          (volume) => `:warning: volume \`${volume}\` is deleted; \`make up\` refuses this`,
        ),
        ...meaning.keysAtRisk.map(
          (key) =>
            `:warning: data encrypted with the key \`${key}\` cannot be read; \`make up\` refuses this`,
        ),
        ...meaning.disposableVolumes.map((volume) => `logs or metrics in volume \`${volume}\``),
        ...tableLoss,
      ],
    },
    { question: "Dashboards", answers: named(monitoring.dashboards) },
    { question: "Alert rules", answers: named(monitoring.alerts) },
  ];
  const sometimes: Answer[] = [
    { question: "Removed services", answers: named(meaning.removed) },
    { question: "Commands that run", answers: named(meaning.commands) },
    {
      question: "Published ports",
      answers: moved(meaning.portsBefore.join(", "), meaning.portsAfter.join(", ")),
    },
    {
      question: "Memory limits (MiB)",
      answers: moved(String(meaning.memoryBefore), String(meaning.memoryAfter)),
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
