/** The tools of mailboxes of mail_default. */
import { callTool, endpointOf } from "../../../support/mcp";
import { type Environment, useScene } from "../scene";

export function useMailTools() {
  const scene = useScene();
  const result = (env: Environment, name: string, args: object = {}) =>
    callTool(endpointOf(scene.program, env), name, args);

  /** The result of a call that succeeds, parsed. */
  async function tool(env: Environment, name: string, args: object = {}): Promise<any> {
    const { text, isError } = await result(env, name, args);
    if (isError) throw new Error(`${name} was rejected: ${text}`);
    return JSON.parse(text);
  }

  return {
    ...scene,
    tool,
    /** The text of a call that is rejected. */
    async rejection(env: Environment, name: string, args: object = {}): Promise<string> {
      const { text, isError } = await result(env, name, args);
      if (!isError) throw new Error(`${name} was not rejected: ${text}`);
      return text;
    },
    /** The newest message of the newest thread that a query finds. */
    async messageOf(env: Environment, query: string): Promise<any> {
      const { threads } = await tool(env, "search_threads", { query });
      return threads[0].messages.at(-1);
    },
  };
}
