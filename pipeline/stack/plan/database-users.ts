import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { requireSecret } from "../secrets.ts";
import type { ConfigFile } from "../spec.ts";
import type { PlanContext } from "./context.ts";

const ANYWHERE = { ip: "::/0" } as const;
const LAYERS = ["stg", "ods", "dds", "dm"] as const;

/**
 * Users of the database. `default` administers; `pipeline` loads the layers and changes no schema
 * outside of them; `bi` reads the marts and nothing else. Only hashes reach the container.
 */
export function usersFile({ secrets }: PlanContext): ConfigFile {
  const hash = (name: "databasePassword" | "pipelinePassword" | "biPassword"): string =>
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
      access_management: 1,
      named_collection_control: 1,
    },
    pipeline: {
      password_sha256_hex: hash("pipelinePassword"),
      networks: ANYWHERE,
      profile: "default",
      quota: "default",
      grants: { query: [...LAYERS.map(grantAll), "GRANT SELECT ON system.*"] },
    },
    bi: {
      password_sha256_hex: hash("biPassword"),
      networks: ANYWHERE,
      profile: "reader",
      quota: "default",
      grants: { query: ["GRANT SELECT ON dm.*"] },
    },
  };
  // readonly 2: settings of a query may be chosen, data may not be changed.
  const profiles = { reader: { readonly: 2, max_execution_time: 120 } };
  return { path: "users.yaml", content: stringify({ profiles, users }), secret: true };
}

const grantAll = (layer: string): string => `GRANT ALL ON ${layer}.*`;
