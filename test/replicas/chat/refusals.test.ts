/** Calls that are refused: each with the service's own code, and none leaves anything behind. */
import { describe, expect, test } from "bun:test";
import { REFUSALS } from "./refusals/index";
import { refused, useScenes } from "./scene";

const newScene = useScenes();

for (const [method, cases] of Object.entries(REFUSALS))
  describe(method, () => {
    test.each(Object.entries(cases))("refuses with %s", async (code, given) => {
      const scene = await newScene();
      const args = typeof given === "function" ? await given(scene) : given;
      const before = await scene.state();

      const answer = await refused(scene.agent.apiCall(method, { ...args }));

      expect(answer.error).toBe(code);
      expect(await scene.state()).toEqual(before);
    });
  });
