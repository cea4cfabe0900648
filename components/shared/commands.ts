/** What the pipeline's command line does on the running services of a stack, by the resource it is. */
export const COMMANDS = {
  topics: ["topics"],
  // The second one registers the epoch of the topics in the tables the first one makes.
  schema: ["ddl", "topics"],
  bi: ["bi-init"],
} as const;
