import {
  kafkaTable,
  loadTable,
  memoryTable,
  predictionTable,
  sizingTable,
} from "../../bench/scale/tables.ts";
import { readMeasurements } from "../../bench/scale-model.ts";
import { tableText } from "./table.ts";

/** Tables of docs/explanation/scaling.md, from the recorded measurements. */
export function scalingTables(): Record<string, string> {
  const measured = readMeasurements();
  return {
    prediction: tableText(predictionTable(measured)),
    loads: tableText(loadTable(measured)),
    memory: tableText(memoryTable(measured)),
    kafka: tableText(kafkaTable(measured)),
    sizing: tableText(sizingTable(measured)),
  };
}
