import { exception } from "./errors.ts";
import type { Exchange, HttpContext, Query } from "./exchange.ts";

const RELOAD = /^\s*SYSTEM\s+RELOAD\s+(CONFIG|USERS)\s*;?\s*$/i;

/** True for SYSTEM RELOAD CONFIG, if the host program has configuration files. */
export const isReload = ({ reload }: HttpContext, { received }: Query): boolean =>
  reload !== undefined && RELOAD.test(received.sql);

/** Reloads the configuration, then answers. @throws ServerException if it is invalid */
export async function reload(context: HttpContext, { answer }: Exchange): Promise<void> {
  await applyReload(context).catch((error: unknown) => {
    throw exception(
      "STD_EXCEPTION",
      `The new configuration is invalid and ignored: ${String(error)}`,
    );
  });
  await answer.end({});
}

/** Applies a reload, one at a time. Running queries continue; later ones need the new passwords. */
export function applyReload(context: HttpContext): Promise<void> {
  const apply = async (): Promise<void> => {
    if (context.reload) context.access = await context.reload();
  };
  const done = context.reloading.then(apply);
  context.reloading = done.catch(() => undefined);
  return done;
}
