/**
 * A mistake of the user or a condition the user can cure. The CLI prints it without a stack trace.
 * The message names the thing, the bad value and what is allowed; `next` is the command that helps.
 */
export class UserError extends Error {
  override readonly name = "UserError";
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.next = next;
  }
}
