/** The tools of mailboxes of mail_default. */
import { jsonTools } from "../../../support/mcp";
import { type Environment, useScene } from "../scene";

export function useMailTools() {
  const scene = useScene();
  const tools = jsonTools(scene.program);
  return {
    ...scene,
    ...tools,
    /** The newest message of the newest thread that a query finds. */
    async messageOf(env: Environment, query: string): Promise<any> {
      const { threads } = await tools.tool(env, "search_threads", { query });
      return threads[0].messages.at(-1);
    },
  };
}
