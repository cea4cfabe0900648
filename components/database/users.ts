import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { DATABASES } from "../../contract/layers.ts";
import { secretText } from "../shared/secret-text.ts";
import type { ConfigFile } from "../shared/spec.ts";

const ANYWHERE = { ip: "::/0" } as const;
export const BI_USER = "bi";
export const MONITOR_USER = "monitor";

/** File with the users and the hashes of their passwords. */
export const usersFile: ConfigFile = {
  path: "users.yaml",
  content: secretText(["databasePassword", "biPassword", "monitorPassword"], usersText),
};

interface Passwords {
  readonly databasePassword: string;
  readonly biPassword: string;
  readonly monitorPassword: string;
}

const hash = (password: string): string => createHash("sha256").update(password).digest("hex");

function usersText({ databasePassword, biPassword, monitorPassword }: Passwords): string {
  const users = {
    default: {
      // The image's user `default` has an empty password, which a merge would keep.
      "@replace": "1",
      password_sha256_hex: hash(databasePassword),
      networks: ANYWHERE,
      profile: "default",
      quota: "default",
      named_collection_control: 1,
    },
    [BI_USER]: {
      password_sha256_hex: hash(biPassword),
      networks: ANYWHERE,
      profile: "reader",
      quota: "default",
      grants: { query: ["GRANT SELECT ON dm.*"] },
    },
    [MONITOR_USER]: {
      password_sha256_hex: hash(monitorPassword),
      networks: ANYWHERE,
      profile: "reader",
      quota: "default",
      grants: { query: [...DATABASES, "system"].map((name) => `GRANT SELECT ON ${name}.*`) },
    },
  };
  // readonly 2 forbids changes of data, but allows settings of a query: also some that read files.
  const profiles = {
    reader: {
      readonly: 2,
      max_execution_time: 120,
      constraints: {
        format_schema: { const: "" },
        format_template_row: { const: "" },
        format_template_resultset: { const: "" },
      },
    },
  };
  return stringify({ profiles, users });
}
