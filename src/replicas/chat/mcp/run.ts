/** Runs methods of the Web API for tools: with the caller's identity, and with the same checks. */
import { METHODS } from "~/replicas/chat/api/index";
import type { Answer, ChatCall, TableName } from "~/replicas/chat/method";
import type { ToolCall } from "~/replicas/tools";

export const chatCall = (
  { session, actor, baseUrl, secret, aliases }: ToolCall<TableName>,
  warn: (warning: string) => void = () => {},
): ChatCall => ({
  session,
  actor,
  baseUrl,
  secret,
  aliases,
  app: undefined,
  raw: new Map(),
  warn,
});

/** Arguments that are undefined are left out. */
export async function runMethod(
  call: ChatCall,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Answer> {
  const method = METHODS.get(name);
  if (!method) throw new Error(`there is no method ${name}`);
  const raw = new Map(Object.entries(args).filter(([, value]) => value !== undefined));
  return await method.run(raw, { ...call, raw });
}
