import { exception } from "./errors.ts";
import type { Exchange, HttpContext, Query } from "./exchange.ts";

const RELOAD = /^\s*SYSTEM\s+RELOAD\s+(CONFIG|USERS)\s*;?\s*$/i;

/** The engine has no configuration files; whoever runs this interface may have some. */
export const isReload = ({ reload }: HttpContext, { received }: Query): boolean =>
  reload !== undefined && RELOAD.test(received.sql);

/** Answers when what the files say holds. @throws ServerException saying why they cannot be taken */
export async function reload(context: HttpContext, { answer }: Exchange): Promise<void> {
  await applyReload(context).catch((error: unknown) => {
    throw exception("STD_EXCEPTION", `The configuration is kept: ${String(error)}`);
  });
  await answer.end({});
}

/** Queries that run go on; the next ones are asked for the new passwords. One reload at a time. */
export function applyReload(context: HttpContext): Promise<void> {
  const apply = async (): Promise<void> => {
    if (context.reload) context.access = await context.reload();
  };
  const done = context.reloading.then(apply);
  context.reloading = done.catch(() => undefined);
  return done;
}
