import type { Chart } from "../model.ts";
import { behaviour } from "./behaviour.ts";
import type { Dashboard } from "./dashboard.ts";
import { live } from "./live.ts";
import { overview } from "./overview.ts";

export const dashboards: readonly Dashboard[] = [overview, behaviour, live];
export const allCharts: readonly Chart[] = dashboards.flatMap(({ charts }) => charts);
