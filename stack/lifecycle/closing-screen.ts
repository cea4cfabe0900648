import { planStack, type StackPlan } from "../../components/services.ts";
import { SLUG } from "../../superset/dashboard.ts";
import { localContext } from "./local-plan.ts";
import { urls } from "./show.ts";

export function lastScreen(stack: string): string {
  const context = localContext(stack);
  const plan = planStack(context);
  const isLive = context.config.mode === "live";
  const isFed = plan.generator !== null && context.config.generator.enabled;
  return [
    urls(stack),
    "",
    ...(isLive ? firstLooks(plan, isFed) : []),
    next(stack, plan, { isLive, isFed }),
    `Stop: make down STACK=${stack} (keeps the data); make clean STACK=${stack} (removes everything).`,
  ].join("\n");
}

function firstLooks({ bi, scheduler, monitoring }: StackPlan, isFed: boolean): string[] {
  const loads = isFed ? "the loads: etl_live starts one every five minutes" : "the loads";
  const looks = [
    ...(bi ? [`${bi.url}/superset/dashboard/${SLUG}/  what visitors do`] : []),
    ...(monitoring.dashboards ? [`${monitoring.dashboards.url}  the state of the pipeline`] : []),
    ...(scheduler ? [`${scheduler.url}  ${loads}`] : []),
  ];
  return looks.length > 0 ? ["Look first at:", ...looks.map((line) => `  ${line}`), ""] : [];
}

function next(
  stack: string,
  { scheduler, generator }: StackPlan,
  { isLive, isFed }: { readonly isLive: boolean; readonly isFed: boolean },
): string {
  const load = `make transform STACK=${stack}`;
  if (isLive && isFed) {
    const loads = scheduler ? "The scheduler loads new events" : `${load} loads new events`;
    return `${loads}. make prove STACK=${stack} checks that no event was lost.`;
  }
  if (isLive && generator) {
    return `The generator is in standby. Next: make generator-up STACK=${stack}.`;
  }
  const data = isFed ? "" : `make data STACK=${stack} on an empty stack, `;
  return `Next: ${data}${load}, then make prove STACK=${stack}.`;
}
