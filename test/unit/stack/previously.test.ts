import { expect, test } from "vitest";
import { previously } from "../../../components/resources/service.ts";

test("the previous type of a service joins the aliases that its caller gives", () => {
  const { aliases } = previously("eventpipeline:broker:BrokerUi", { aliases: [{ name: "ui" }] });
  expect(aliases).toEqual([{ name: "ui" }, { type: "eventpipeline:broker:BrokerUi" }]);
});
