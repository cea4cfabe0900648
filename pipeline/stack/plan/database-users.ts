import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { LAYERS } from "../../../contract/layers.ts";
import { requireSecret } from "../secrets.ts";
import type { ConfigFile } from "../spec.ts";
import type { PlanContext } from "./context.ts";

const ANYWHERE = { ip: "::/0" } as const;
/** Reads the marts for Superset. */
export const BI_USER = "bi";
/** Reads the state of the layers for the metrics store. */
export const MONITOR_USER = "monitor";

/**
 * Users of the database. `default` administers and runs the pipeline, which makes and rebuilds the
 * schema; `bi` reads the marts and nothing else, `monitor` all layers. Only hashes reach the container.
 */
export function usersFile({ secrets }: PlanContext): ConfigFile {
  const hash = (name: "databasePassword" | "biPassword" | "monitorPassword"): string =>
    createHash("sha256")
      .update(requireSecret(secrets, name, "The database"))
      .digest("hex");
  const users = {
    default: {
      // The image's own `default` has an empty password; a merge would leave both.
      "@replace": "1",
      password_sha256_hex: hash("databasePassword"),
      networks: ANYWHERE,
      profile: "default",
      quota: "default",
      named_collection_control: 1,
    },
    [BI_USER]: {
      password_sha256_hex: hash("biPassword"),
      networks: ANYWHERE,
      profile: "reader",
      quota: "default",
      grants: { query: ["GRANT SELECT ON dm.*"] },
    },
    [MONITOR_USER]: {
      password_sha256_hex: hash("monitorPassword"),
      networks: ANYWHERE,
      profile: "reader",
      quota: "default",
      grants: { query: [...LAYERS, "system"].map((name) => `GRANT SELECT ON ${name}.*`) },
    },
  };
  // readonly 2: settings of a query may be chosen, data may not be changed.
  const profiles = { reader: { readonly: 2, max_execution_time: 120 } };
  return { path: "users.yaml", content: stringify({ profiles, users }), secret: true };
}
