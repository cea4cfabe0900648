import { services } from "../components/registry.ts";
import { deployedWith, type ServiceName, type StackPlan } from "../components/services.ts";
import { UserError } from "../contract/errors.ts";
import { changeHint } from "./make-hints.ts";

/** Returns a service. @throws UserError if the service is disabled */
export function requireService<Name extends ServiceName>(
  stack: string,
  plan: StackPlan,
  name: Name,
): NonNullable<StackPlan[Name]> {
  const service = plan[name];
  if (service) return service;
  throw missingService(stack, name);
}

/** Returns the error for a disabled service. @param use clause that says who needs it */
export const missingService = (stack: string, name: ServiceName, use = ""): UserError =>
  new UserError(
    `The stack ${stack} has no ${name}${use}; it is deployed with ${deployedWith(name)}`,
    `${changeHint(stack, "set that")}, then run make up STACK=${stack}`,
  );

/** Checks the services of a command. @throws UserError if one is disabled */
export function requireServicesOf(stack: string, plan: StackPlan, command: string): void {
  for (const name of Object.keys(plan) as ServiceName[]) {
    const commands: readonly string[] = services[name].commands;
    if (commands.includes(command)) requireService(stack, plan, name);
  }
}
