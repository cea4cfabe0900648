import type { Builder, Dataquery } from "@grafana/grafana-foundation-sdk/cog";
import * as common from "@grafana/grafana-foundation-sdk/common";
import {
  BigValueColorMode,
  BigValueGraphMode,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  SortOrder,
  StackingMode,
  TooltipDisplayMode,
  VisibilityMode,
} from "@grafana/grafana-foundation-sdk/common";
import {
  type Panel as GrafanaPanel,
  MappingType,
  type Threshold,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type ValueMap,
} from "@grafana/grafana-foundation-sdk/dashboard";
import { DataqueryBuilder } from "@grafana/grafana-foundation-sdk/prometheus";
import { PanelBuilder as StatBuilder } from "@grafana/grafana-foundation-sdk/stat";
import { PanelBuilder as LinesBuilder } from "@grafana/grafana-foundation-sdk/timeseries";
import type { Bound, Panel, PlacedPanel, ValueLabel } from "../dashboard.ts";
import type { Signal } from "../signal.ts";
import { DATASOURCE_UID } from "../uids.ts";

export const DATASOURCE = { type: "prometheus", uid: DATASOURCE_UID } as const;

export function grafanaPanel({ panel, id, position }: PlacedPanel): Builder<GrafanaPanel> {
  const builder = panel.kind === "stat" ? statOf(panel) : linesOf(panel);
  return builder
    .id(id)
    .title(panel.title)
    .description(describe(panel))
    .datasource({ ...DATASOURCE })
    .gridPos({ ...position })
    .unit(panel.signals[0]?.unit ?? "short")
    .targets(panel.signals.map((signal, index) => query(signal, index, panel.kind)))
    .thresholds(thresholdsOf(panel.bound));
}

function describe({ signals, note }: Panel): string {
  const [only] = signals;
  const texts =
    signals.length === 1 && only
      ? [only.meaning]
      : signals.map(({ name, meaning }) => `**${name}**: ${meaning}`);
  return [...texts, ...(note ? [note] : [])].join("\n\n");
}

function query(signal: Signal, index: number, kind: Panel["kind"]): Builder<Dataquery> {
  const builder = new DataqueryBuilder()
    .refId(String.fromCharCode("A".charCodeAt(0) + index))
    .datasource({ ...DATASOURCE })
    .expr(signal.expr)
    .legendFormat(signal.legend);
  return kind === "stat" ? builder.instant() : builder.range();
}

function thresholdsOf(bound: Bound | undefined): ThresholdsConfigBuilder {
  const steps: Threshold[] = bound ? stepsOf(bound) : [{ value: null, color: "green" }];
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps);
}

const JUST_ABOVE_ZERO = 1e-9;

/** Converts bounds to steps. A step includes its value, so "above 0" starts just above 0. */
const stepsOf = ({ when, threshold }: Bound): Threshold[] =>
  when === "above"
    ? [
        { value: null, color: "green" },
        { value: threshold === 0 ? JUST_ABOVE_ZERO : threshold, color: "red" },
      ]
    : [
        { value: null, color: "red" },
        { value: threshold, color: "green" },
      ];

function statOf(panel: Panel): StatBuilder {
  const builder = new StatBuilder()
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(["lastNotNull"]));
  return panel.words ? builder.mappings([mappingOf(panel.words)]) : builder;
}

const mappingOf = (words: readonly ValueLabel[]): ValueMap => ({
  type: MappingType.ValueToText,
  options: Object.fromEntries(
    words.map(({ value, text, color }, index) => [String(value), { text, color, index }]),
  ),
});

function linesOf(panel: Panel): LinesBuilder {
  const builder = new LinesBuilder()
    .lineWidth(1.5)
    .fillOpacity(panel.kind === "stacked" ? 40 : 8)
    .showPoints(VisibilityMode.Never)
    // One or two missed scrapes do not interrupt the line.
    .spanNulls(120_000)
    .legend(
      new common.VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true),
    )
    .tooltip(
      new common.VizTooltipOptionsBuilder()
        .mode(TooltipDisplayMode.Multi)
        .sort(SortOrder.Descending),
    )
    .thresholdsStyle(
      new common.GraphThresholdsStyleConfigBuilder().mode(
        panel.bound ? GraphThresholdsStyleMode.Dashed : GraphThresholdsStyleMode.Off,
      ),
    );
  return panel.kind === "stacked"
    ? builder.stacking(new common.StackingConfigBuilder().mode(StackingMode.Normal))
    : builder;
}
