import {
  type Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
} from "@platformatic/kafka";
import type { TopicSpec } from "../contract/topics.ts";

export interface SettingDifference {
  readonly topic: string;
  readonly key: string;
  readonly live: string;
  readonly declared: string;
}

export async function settingDifferences(
  admin: Admin,
  specs: readonly TopicSpec[],
): Promise<SettingDifference[]> {
  if (specs.length === 0) return [];
  const described = await admin.describeConfigs({
    resources: specs.map(({ name, configs }) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName: name,
      configurationKeys: Object.keys(configs),
    })),
  });
  return specs.flatMap(({ name, configs }) => {
    const live = described.find(({ resourceName }) => resourceName === name)?.configs ?? [];
    return Object.entries(configs)
      .map(([key, declared]) => ({
        topic: name,
        key,
        live: live.find((entry) => entry.name === key)?.value ?? "unset",
        declared,
      }))
      .filter((setting) => setting.live !== setting.declared);
  });
}

/** Changes settings. @returns the changed topics */
export async function alterSettings(
  admin: Admin,
  differences: readonly SettingDifference[],
): Promise<string[]> {
  const topics = [...new Set(differences.map(({ topic }) => topic))];
  if (topics.length === 0) return [];
  await admin.incrementalAlterConfigs({
    resources: topics.map((resourceName) => ({
      resourceType: ConfigResourceTypes.TOPIC,
      resourceName,
      configs: differences
        .filter(({ topic }) => topic === resourceName)
        .map(({ key, declared }) => ({
          name: key,
          value: declared,
          configOperation: IncrementalAlterConfigOperationTypes.SET,
        })),
    })),
  });
  return topics;
}
