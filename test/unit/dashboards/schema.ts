import { z } from "zod";

/**
 * Grafana's documented provisioning files ("Use configuration files to provision alerting
 * resources", "Provision Grafana"). Strict, because Grafana silently ignores a misspelt key.
 */
const duration = z.string().regex(/^\d+(ms|s|m|h|d|w)$/);
const versioned = <S extends z.ZodRawShape>(shape: S) =>
  z.strictObject({ apiVersion: z.literal(1), ...shape });

const query = z.strictObject({
  refId: z.string().min(1),
  queryType: z.string().optional(),
  relativeTimeRange: z.strictObject({ from: z.int(), to: z.int() }),
  datasourceUid: z.string().min(1),
  model: z.looseObject({ refId: z.string().min(1) }),
});

const rule = z.strictObject({
  uid: z
    .string()
    .max(40)
    .regex(/^[\w-]+$/),
  title: z.string().max(190).min(1),
  condition: z.string(),
  data: z.array(query).min(1),
  noDataState: z.enum(["NoData", "Alerting", "OK", "KeepLast"]),
  execErrState: z.enum(["Error", "Alerting", "OK", "KeepLast"]),
  for: duration,
  keepFiringFor: duration.optional(),
  annotations: z.record(z.string(), z.string()),
  labels: z.record(z.string(), z.string()),
  isPaused: z.boolean().optional(),
});

export const provisioning = {
  "datasources/prometheus.yaml": versioned({
    datasources: z
      .array(
        z.strictObject({
          name: z.string(),
          uid: z.string().max(40),
          type: z.literal("prometheus"),
          access: z.enum(["proxy", "direct"]),
          orgId: z.int(),
          url: z.url(),
          isDefault: z.boolean(),
          editable: z.boolean(),
          jsonData: z.looseObject({}),
        }),
      )
      .min(1),
  }),
  "dashboards/provider.yaml": versioned({
    providers: z.array(
      z.strictObject({
        name: z.string(),
        orgId: z.int(),
        folder: z.string(),
        folderUid: z.string().max(40),
        type: z.literal("file"),
        disableDeletion: z.boolean(),
        allowUiUpdates: z.boolean(),
        updateIntervalSeconds: z.int(),
        options: z.strictObject({ path: z.string().startsWith("/") }),
      }),
    ),
  }),
  "alerting/rules.yaml": versioned({
    deleteRules: z.array(z.strictObject({ orgId: z.int(), uid: z.string().max(40) })),
    groups: z.array(
      z.strictObject({
        orgId: z.int(),
        name: z.string(),
        folder: z.string(),
        interval: duration,
        rules: z.array(rule).min(1),
      }),
    ),
  }),
  "alerting/contact-points.yaml": versioned({
    contactPoints: z.array(
      z.strictObject({
        orgId: z.int(),
        name: z.string(),
        receivers: z.array(
          z.strictObject({
            uid: z.string().max(40),
            type: z.string(),
            settings: z.record(z.string(), z.unknown()),
            disableResolveMessage: z.boolean().optional(),
          }),
        ),
      }),
    ),
  }),
  "alerting/policies.yaml": versioned({
    policies: z.array(
      z.strictObject({
        orgId: z.int(),
        receiver: z.string(),
        group_by: z.array(z.string()),
        group_wait: duration,
        group_interval: duration,
        repeat_interval: duration,
      }),
    ),
  }),
} as const;
