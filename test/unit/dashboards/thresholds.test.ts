import { describe, expect, test } from "vitest";
import { DATABASE_MEMORY_SHARE } from "../../../contract/metrics.ts";
import { EVENT_TOPICS, topicSpecs } from "../../../contract/topics.ts";
import { type AlertRule, secondsOf } from "../../../dashboards/alerts/rule.ts";
import { alertRules } from "../../../dashboards/alerts/rules.ts";
import { thresholds } from "../../../dashboards/thresholds.ts";
import { TYPICAL_DEFECTS } from "../../../generator/model/defects.ts";
import { WAITS } from "../../monitoring/waits.ts";
import { configWith } from "../generator/support.ts";

const DAY_SECONDS = 24 * 3600;

function ruleOf(name: string): AlertRule {
  const rule = alertRules.find((one) => one.name === name);
  if (!rule) throw new Error(`no rule ${name}`);
  return rule;
}

test("every alert waits as long as users rely on", () => {
  expect(Object.fromEntries(alertRules.map((rule) => [rule.name, secondsOf(rule.for)]))).toEqual(
    WAITS,
  );
});

describe("the threshold", () => {
  test("of parts is far below the 1000 at which ClickHouse delays inserts", () => {
    expect(thresholds.partsPerPartition).toBeLessThanOrEqual(1000 / 10);
  });

  test("of stuck messages is above the transaction markers of a minute and below its messages", () => {
    const config = configWith();
    const partitions = topicSpecs().filter(({ name }) => EVENT_TOPICS.includes(name as never));
    const markersOfTick = partitions.reduce((sum, topic) => sum + topic.partitions, 0);
    expect(thresholds.stuckMessages).toBeGreaterThan(10 * markersOfTick);
    // The factor 2 is for the browser and the location message of a page event.
    const waited = secondsOf(ruleOf("BrokerMessagesStuck").for) / 60;
    expect(waited * config.eventsPerMinute * 2).toBeGreaterThan(thresholds.stuckMessages);
  });

  test("of error shares is above the typical defects of one marker and below a broken producer", () => {
    const typical = 100 * Math.max(...Object.values(TYPICAL_DEFECTS));
    expect(thresholds.errorSharePercent).toBeGreaterThan(2 * typical);
    expect(thresholds.errorSharePercent).toBeLessThan(10);
    expect(ruleOf("PipelineErrorShareHigh").signal.expr).toContain(">= 100");
  });

  test("of the marts' age is the day within which the batch process runs at least once", () => {
    expect(thresholds.martAgeSeconds).toBe(DAY_SECONDS);
  });

  test("of the disk is a forecast of one day, and leaves room for merges", () => {
    const { expr } = ruleOf("DatabaseDiskFullForeseen").signal;
    expect(expr).toContain(`[6h], ${DAY_SECONDS})`);
    expect(thresholds.diskFreePercent).toBeGreaterThanOrEqual(10);
  });

  test("of memory is below the limit at which the server refuses queries", () => {
    expect(thresholds.memoryOfLimitPercent).toBeLessThan(100);
    expect(thresholds.memoryOfLimitPercent * DATABASE_MEMORY_SHARE).toBeLessThan(
      thresholds.memoryResidentPercent,
    );
  });

  test("of the generator's silence is longer than two default ticks", () => {
    expect(thresholds.generatorSilenceSeconds).toBeGreaterThan(2 * configWith().tickSeconds);
  });
});
