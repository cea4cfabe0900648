import { type GeneratorState, generatorStates } from "../../contract/metrics.ts";
import { boundOf, type Dashboard, lines, stacked, stat, type ValueLabel } from "../dashboard.ts";
import { generator, NO_GENERATOR } from "../signals/generator.ts";
import { DASHBOARD_UIDS } from "../uids.ts";

const words: Readonly<Record<GeneratorState, Omit<ValueLabel, "value">>> = {
  starting: { text: "starting", color: "yellow" },
  standby: { text: "standby", color: "blue" },
  paused: { text: "paused", color: "blue" },
  finished: { text: "finished", color: "blue" },
  running: { text: "at work", color: "green" },
  refused: { text: "refused", color: "red" },
  failed: { text: "failed", color: "red" },
};
const STATE_WORDS: readonly ValueLabel[] = [
  ...Object.entries(words).map(([name, word]) => ({
    value: generatorStates[name as GeneratorState],
    ...word,
  })),
  { value: NO_GENERATOR, text: "gone", color: "red" },
];

export const generatorDashboard: Dashboard = {
  uid: DASHBOARD_UIDS.generator,
  title: "Generator",
  about: "Published events compared with the target rate, and whether state is saved.",
  job: "generator",
  rows: [
    {
      title: "At a glance",
      panels: [
        stat(generator.state, { title: "State", words: STATE_WORDS }),
        stat(generator.silence, {
          title: "Status: last batch",
          bound: boundOf(generator.silenceWhileEnabled),
        }),
        stat(generator.stateSaved),
        stat(generator.events),
        stat(generator.pageEvents),
        stat(generator.target, { title: "Target, page events/min" }),
      ],
    },
    {
      title: "Events",
      panels: [
        stacked("Events/min by topic", [generator.eventsByTopic]),
        lines("Page events/min against the target", [generator.pageEvents, generator.target]),
        lines("Publish errors", [generator.publishErrors]),
      ],
    },
    {
      title: "Model",
      panels: [
        lines("Sessions and population", [generator.activeSessions, generator.population]),
        lines("Daily coefficient", [generator.coefficient]),
        lines("Lag of model time", [generator.modelLag]),
      ],
    },
    {
      title: "Ticks and state",
      panels: [
        lines("Tick duration", [generator.tickTime]),
        lines("Silence while batches are due", [generator.silenceWhileEnabled]),
        lines("Events without saved state", [generator.unsaved]),
        lines("Clamped ticks and rejected sessions", [
          generator.clamped,
          generator.rejectedSessions,
        ]),
        stat(generator.backfill, { width: 8, height: 4 }),
      ],
    },
  ],
};
