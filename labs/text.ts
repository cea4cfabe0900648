import { quote } from "../contract/command-call.ts";
import { dataOf, repairData } from "./data.ts";
import { columnsOf, isQuestion, type Lab, type Question } from "./lab.ts";

/**
 * Returns the question, what to deliver and the next commands.
 * @param option the option that names the data, empty for the default
 */
export function labText(lab: Lab, directory: string, option: string): string {
  const lines = isQuestion(lab)
    ? questionLines(lab, dataOf(lab, directory))
    : repairLines(repairData(lab, directory));
  const check = `pipeline lab check ${lab.number}${exampleOf(lab)}${option}`;
  return [
    `\nLab ${lab.number}: ${lab.title}\n\n${lab.question.trim()}\n`,
    ...lines,
    `Hint:    pipeline lab hint ${lab.number}`,
    `Check:   ${check}`,
  ].join("\n");
}

function exampleOf({ answer }: Lab): string {
  if (answer.kind === "repair") return "";
  return answer.kind === "number" ? " NUMBER" : " answer.sql";
}

const questionLines = (lab: Question, data: string): string[] => [
  `${deliverable(lab)}\n`,
  `Data:    ${data}`,
  'Explore: pipeline query "SHOW TABLES FROM dm", or pipeline serve (start it again if it serves other data)',
];

const repairLines = (directory: string): string[] => [
  `Data:    ${directory}`,
  `Explore: pipeline prove --database ${quote(directory)}`,
];

function deliverable(lab: Question): string {
  const { answer } = lab;
  if (answer.kind === "number") {
    return `Answer: ${answer.meaning}, to ${answer.decimals} decimals, or a file with the SELECT that returns it.`;
  }
  const columns = Object.entries(columnsOf(lab) ?? {}).map(
    ([name, meaning]) => `\n  ${name.padEnd(14)} ${meaning}`,
  );
  return `Answer: a file with a SELECT that returns these columns:${columns.join("")}`;
}
