import { PolicyPack } from "@pulumi/policy";
import { rules } from "./rules.ts";

new PolicyPack("event-pipeline", {
  policies: rules.map(({ name, description, type, isAdvice, check }) => ({
    name,
    description,
    enforcementLevel: isAdvice ? "advisory" : "mandatory",
    validateResource: (resource, report) => {
      const problem = resource.type === type ? check(resource.props) : undefined;
      if (problem) report(`${resource.name}: ${problem}`);
    },
  })),
});
