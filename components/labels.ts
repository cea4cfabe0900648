/** A label as the container provider takes it. */
export interface Label {
  readonly label: string;
  readonly value: string;
}
