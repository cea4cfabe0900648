/** Labels of a stack's containers, networks, volumes and images. */
export const LABELS = {
  /** Name of the stack, which a stack of another checkout may have, too. */
  stack: "event-pipeline.stack",
  /** Random id of the Pulumi state that created the object. */
  identity: "event-pipeline.identity",
  service: "event-pipeline.service",
} as const;
