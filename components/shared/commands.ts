/** What the pipeline's command line does on the running services of a stack, by the resource it is. */
export const COMMANDS = {
  // The provider waits for a broker that it creates, not for one that it starts again.
  topics: ["topics --wait 60"],
  // The second one registers the epoch of the topics in the tables the first one makes.
  schema: ["ddl", "topics"],
  bi: ["bi-init"],
} as const;
