/** Canvases: their sections and access. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, JOHN, outcome, RANDOM, type Scene, useScenes } from "./scene";

const newScene = useScenes();
const markdown = (text: string) =>
  ({ document_content: { type: "markdown", markdown: text } }) as any;

/** The Markdown of a canvas, by lookup. */
const sectionsOf = async ({ agent }: Pick<Scene, "agent">, id: string, criteria: object) => {
  const { sections }: any = await agent.canvases.sections.lookup({
    canvas_id: id,
    criteria,
  } as never);
  return sections.map((found: any) => found.id);
};

describe("canvases", () => {
  test("are changed section by section", async () => {
    const scene = await newScene();
    const { agent, sql, schema } = scene;
    const { canvas_id: id = "" } = await agent.canvases.create({
      title: "Plan",
      ...markdown("# Plan\n\nFirst *things*.\n\n- one\n- two\n\n## Later\n\nRest"),
    });
    const edit = (change: object) =>
      agent.canvases.edit({ canvas_id: id, changes: [change] } as never);
    const texts = async () => {
      const [row] = await sql.unsafe(
        `select sections from "${schema}".canvases where file_id = '${id}'`,
      );
      return row?.["sections"].map(({ markdown: text }: any) => text);
    };
    expect(await texts()).toEqual([
      "# Plan",
      "First *things*.",
      "- one\n- two",
      "## Later",
      "Rest",
    ]);

    const [later] = await sectionsOf(scene, id, { section_types: ["h2"] });
    const [rest] = await sectionsOf(scene, id, { contains_text: "rest" });
    const headers = await sectionsOf(scene, id, { section_types: ["any_header"] });
    await edit({ operation: "insert_before", section_id: later, ...markdown("Before") });
    await edit({ operation: "insert_after", section_id: later, ...markdown("After") });
    await edit({ operation: "insert_at_start", ...markdown("Start") });
    await edit({ operation: "insert_at_end", ...markdown("# End\n\nReally") });
    await edit({ operation: "delete", section_id: rest });
    await edit({ operation: "replace", section_id: later, ...markdown("## Soon") });
    await edit({ operation: "rename", title_content: { type: "markdown", markdown: "The plan" } });

    expect(headers).toHaveLength(2);
    expect(await texts()).toEqual([
      "Start",
      "# Plan",
      "First *things*.",
      "- one\n- two",
      "Before",
      "## Soon",
      "After",
      "# End",
      "Really",
    ]);
    expect((await agent.files.info({ file: id })).file).toMatchObject({
      title: "The plan",
      filetype: "quip",
      mode: "quip",
    });

    await edit({ operation: "replace", ...markdown("All new") });
    expect(await texts()).toEqual(["All new"]);
  });

  test("keep both of two concurrent changes", async () => {
    const scene = await newScene();
    const { canvas_id: id = "" } = await scene.agent.canvases.create({ title: "Plan" });
    const append = (text: string) =>
      scene.agent.canvases.edit({
        canvas_id: id,
        changes: [{ operation: "insert_at_end", ...markdown(text) }],
      } as never);

    await Promise.all(["one", "two", "three", "four"].map(append));

    expect(await sectionsOf(scene, id, { section_types: [], contains_text: "" })).toHaveLength(4);
  });

  test("are accessible to those they are shared with", async () => {
    const { agent, robin, john } = await newScene();
    const { canvas_id: id = "" } = await robin.canvases.create(markdown("# Mine"));
    const read = { canvas_id: id, criteria: { contains_text: "mine" } } as never;
    const edit = {
      canvas_id: id,
      changes: [{ operation: "insert_at_end", ...markdown("x") }],
    } as never;
    expect(await outcome(agent.canvases.sections.lookup(read))).toBe("canvas_not_found");

    await robin.canvases.access.set({ canvas_id: id, access_level: "read", channel_ids: [RANDOM] });
    expect(await outcome(agent.canvases.sections.lookup(read))).toBe("ok");
    expect(await outcome(agent.canvases.edit(edit))).toBe("restricted_action");

    await robin.canvases.access.set({ canvas_id: id, access_level: "write", user_ids: [AGENT] });
    expect(await outcome(agent.canvases.edit(edit))).toBe("ok");
    expect(await outcome(john.canvases.edit(edit))).toBe("restricted_action");
    expect(await outcome(agent.canvases.delete({ canvas_id: id }))).toBe("restricted_action");

    const taken: any = await robin.canvases.access.delete({
      canvas_id: id,
      user_ids: [AGENT, JOHN],
    });
    expect(taken.failed_to_update_user_ids).toEqual([JOHN]);
    expect(await outcome(agent.canvases.edit(edit))).toBe("restricted_action");

    await robin.canvases.delete({ canvas_id: id });
    expect(await outcome(robin.canvases.sections.lookup(read))).toBe("canvas_deleted");
  });

  test("exist once per channel, and its members write it", async () => {
    const { agent, robin } = await newScene();

    const { canvas_id: id = "" } = await agent.conversations.canvases.create({
      channel_id: GENERAL,
      title: "Notes",
      ...markdown("# Notes"),
    });
    await robin.canvases.edit({
      canvas_id: id,
      changes: [{ operation: "insert_at_end", ...markdown("x") }],
    } as never);

    const { files }: any = await robin.files.list({ types: "spaces" });
    expect(files).toMatchObject([{ id, title: "Notes", user: AGENT }]);
  });
});
