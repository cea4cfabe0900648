import { UserError } from "../contract/errors.ts";
import { changeHint } from "./lifecycle/stack-file.ts";

type Client = Readonly<Record<string, string>>;

/** Variables of services that a stack may lack, for the commands on this machine. */
const VARIABLES = {
  generator: "GENERATOR_URL",
  airflow: "AIRFLOW_URL",
  superset: "SUPERSET_URL",
  prometheus: "METRICS_URL",
  grafana: "GRAFANA_URL",
} as const;

type Service = keyof typeof VARIABLES;

/** Commands of the pipeline that need a service. */
export const NEEDS: Readonly<Record<string, Service>> = {
  generator: "generator",
  dag: "airflow",
  "bi-init": "superset",
  monitoring: "prometheus",
};

/** Checks that a running stack has a service. @throws UserError */
export function requireService(stack: string, client: Client, service: Service): void {
  if (VARIABLES[service] in client) return;
  throw new UserError(
    `The stack ${stack} has no ${service}`,
    `${changeHint(stack, `remove ${service}: false`)}, then run make up STACK=${stack}`,
  );
}
