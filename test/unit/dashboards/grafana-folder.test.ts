import { afterEach, expect, test, vi } from "vitest";
import { createFolder } from "../../../dashboards/checks/grafana.ts";

const grafana = { url: "http://localhost:3000", password: "chosen" };
/** Folders that Grafana has. */
let folders: { uid: string }[];
vi.stubGlobal("fetch", async (url: string, { method, body, headers }: RequestInit) => {
  expect(url).toBe("http://localhost:3000/api/folders");
  expect(headers).toMatchObject({ authorization: `Basic ${btoa("admin:chosen")}` });
  if (method === "POST") folders.push(JSON.parse(String(body)));
  return Response.json(folders);
});
afterEach(() => vi.unstubAllGlobals());

test("the folder is created once, beside those of people", async () => {
  folders = [{ uid: "mine" }];
  await createFolder(grafana);
  await createFolder(grafana);
  expect(folders).toEqual([{ uid: "mine" }, { uid: "event-pipeline", title: "Event pipeline" }]);
});
