import { until } from "../kafka/harness.ts";

/**
 * Asks until the answer is as expected, and returns that answer: asked again, it may be another.
 * @throws Error with the last answer when none was as wished in time
 */
export async function untilSeen<T>(
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
  await until(what, look, withinMs).catch((error: Error) => {
    throw new Error(`${error.message}; it was ${JSON.stringify(answer)}`);
  });
  return answer;
}
