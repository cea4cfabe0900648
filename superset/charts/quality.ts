import { quality } from "../datasets.ts";
import { about, bars, number, rows } from "./kinds.ts";

export const markers = bars(
  {
    ...about(
      "markers",
      "Marked records",
      quality,
      "Records with a defect, by marker and layer; a record may have several",
    ),
    only: [{ column: "kind", operator: "==", value: "defect" }],
    emptyUntil: "a record has a defect",
  },
  {
    category: "metric",
    metric: "amount",
    limit: 60,
    order: "metric",
    horizontal: true,
    series: "layer",
  },
);

export const layerRows = rows(
  {
    ...about(
      "layer_rows",
      "Rows of the layers",
      quality,
      "Typed rows, counted by the batch process",
    ),
    only: [{ column: "kind", operator: "==", value: "rows" }],
  },
  { columns: ["layer", "entity"], metrics: ["amount"], limit: 50 },
);

export const orphans = number(
  about("orphans", "Events without a session", quality, "Any value except 0 is an error"),
  "orphans",
);
