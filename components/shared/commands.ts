export const COMMANDS = {
  // The provider waits for a broker that it creates, not for one that it restarts.
  topics: ["topics --wait 60"],
  // The second command registers the epoch of the topics in the tables of the first.
  schema: ["ddl", "topics"],
  bi: ["bi-init"],
} as const;
