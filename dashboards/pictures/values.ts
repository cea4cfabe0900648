import { shortNumber as short } from "../../report/charts/theme.ts";
import type { Signal } from "../signal.ts";

/** Formats a number; values below 1 keep two significant digits. */
const shortNumber = (value: number): string =>
  value !== 0 && Math.abs(value) < 1 ? String(Number(value.toPrecision(2))) : short(value);

const KIB = 1024;
const DURATIONS = [
  [86_400, "d"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
] as const;

export function valueText(value: number, unit: Signal["unit"]): string {
  switch (unit) {
    case "percent":
      return `${shortNumber(value)} %`;
    case "bytes":
      return bytes(value);
    case "s":
      return duration(value);
    case "reqps":
    case "ops":
      return `${shortNumber(value)}/s`;
    case "cpm":
      return `${shortNumber(value)}/min`;
    default:
      return shortNumber(value);
  }
}

function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const size = Math.abs(value);
  const power =
    size < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(size) / Math.log(KIB)));
  return `${shortNumber(value / KIB ** power)} ${units[power]}`;
}

function duration(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1) return `${shortNumber(value * 1000)} ms`;
  const [seconds, name] = DURATIONS.find(([least]) => size >= least) ?? [1, "s"];
  return `${shortNumber(value / seconds)} ${name}`;
}
