import { waitFor } from "../kafka/harness.ts";

/**
 * Polls until the answer is as expected, and returns that answer.
 * @throws Error with the last answer after the time limit
 */
export async function waitForAnswer<T>(
  what: string,
  ask: () => Promise<T>,
  isWished: (answer: T) => boolean,
  withinMs?: number,
): Promise<T> {
  let answer = await ask();
  const look = async (): Promise<boolean> => {
    if (!isWished(answer)) answer = await ask();
    return isWished(answer);
  };
  await waitFor(what, look, withinMs).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(answer)}`);
  });
  return answer;
}
