/** Rejected calls: each gets the service's own code, and none has side effects. */
import { beforeAll, describe, expect, test } from "bun:test";
import { REFUSALS } from "./refusals/index";
import { refused, type Scene, useScenes } from "./scene";

const newScene = useScenes();

/** For cases without preparation: rejected calls leave it unchanged. */
let shared: Scene;
beforeAll(async () => {
  shared = await newScene();
});

for (const [method, cases] of Object.entries(REFUSALS))
  describe(method, () => {
    test.each(Object.entries(cases))("is rejected with %s", async (code, given) => {
      const isStaged = typeof given === "function";
      const scene = isStaged ? await newScene() : shared;
      const args = isStaged ? await given(scene) : given;
      const before = await scene.state();

      const answer = await refused(scene.agent.apiCall(method, { ...args }));

      expect(answer.error).toBe(code);
      expect(await scene.state()).toEqual(before);
    });
  });
