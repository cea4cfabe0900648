import type { Chart } from "../model.ts";
import { behaviour } from "./behaviour.ts";
import type { Dashboard } from "./dashboard.ts";
import { overview } from "./overview.ts";

export const dashboards: readonly Dashboard[] = [overview, behaviour];
export const allCharts: readonly Chart[] = dashboards.flatMap(({ charts }) => charts);
