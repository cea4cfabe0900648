import { describe, expect, it } from "vitest";
import { z } from "zod";
import { allCharts } from "../../superset/dashboards/dashboards.ts";
import { overview } from "../../superset/dashboards/overview.ts";
import { itLong } from "../support/long-cases.ts";
import { idOf, inventory } from "./ask.ts";
import { rejection, type TestSystem } from "./environment.ts";
import { runInit } from "./run-init.ts";

/** Errors of `bi-init`; none may change anything. */
export const refusalCases = (system: TestSystem) =>
  describe("a refused run reports", () => {
    it("a wrong password of the administrator", async () => {
      const error = await rejection(system.run({ login: { password: "wrong" } }));
      expect(error.message).toMatch(/refuses the account admin/);
    });

    it("Superset is unreachable", async () => {
      const error = await rejection(
        runInit(system.marts, {
          login: { ...system.superset.login, url: "http://127.0.0.1:1" },
          password: system.password,
          waitSeconds: 0,
        }),
      );
      expect(error.message).toMatch(/Superset at http:\/\/127\.0\.0\.1:1 cannot be reached/);
    });

    itLong(
      "a database that Superset cannot reach: refused without a change, fine when it is back",
      async () => {
        const client = await system.login();
        const before = await inventory(client);
        await system.marts.disconnect();
        const error = await rejection(system.run());
        expect(error.message).toMatch(/cannot log in to ClickHouse/);
        expect(error).toHaveProperty("hint", expect.stringContaining("make ps"));
        expect(await inventory(client)).toEqual(before);
        await system.marts.connect(system.password);
        expect((await system.run()).charts.filter(({ error: e }) => e !== undefined)).toEqual([]);
      },
    );

    itLong("other people's assets under our names, and leaves them alone", async () => {
      const client = await system.login();
      const path = `/api/v1/dashboard/${await idOf(client, "dashboard", overview.slug)}`;
      await client.ask("DELETE", path);
      const made = await client.ask("POST", "/api/v1/dashboard/", {
        dashboard_title: "Somebody's",
        slug: overview.slug,
      });
      expect(made.status).toBe(201);
      const error = await rejection(system.run());
      expect(error.message).toContain(
        `the dashboard "Somebody's" with the address ${overview.slug}`,
      );
      const { id } = z.object({ id: z.int() }).parse(made.body);
      await client.ask("DELETE", `/api/v1/dashboard/${id}`);
      expect((await system.run()).charts).toHaveLength(allCharts.length);
    });
  });
