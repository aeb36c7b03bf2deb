/** Lists, their rows and cells. */
import { describe, expect, test } from "bun:test";
import { AGENT, GENERAL, JOHN, outcome, ROBIN, type Scene, useScenes } from "./scene";

const newScene = useScenes();
const words = (text: string) => [
  {
    type: "rich_text",
    elements: [{ type: "rich_text_section", elements: [{ type: "text", text }] }],
  },
];

describe("lists", () => {
  const schema = [
    { key: "task", name: "Task", type: "text", is_primary_column: true },
    { key: "who", name: "Who", type: "user" },
    {
      key: "state",
      name: "State",
      type: "select",
      options: {
        choices: [
          { value: "open", label: "Open", color: "red" },
          { value: "done", label: "Done", color: "green" },
        ],
      },
    },
    { key: "cost", name: "Cost", type: "number" },
  ];

  /** A list with two rows. */
  async function filled({ agent }: Scene) {
    const made: any = await agent.slackLists.create({ name: "Errands", schema } as never);
    const columns: any[] = made.list_metadata.schema;
    const column = (key: string): string => columns.find((each) => each.key === key).id;
    const add = async (task: string, more: object[] = []) => {
      const { item }: any = await agent.slackLists.items.create({
        list_id: made.list_id,
        initial_fields: [{ column_id: column("task"), rich_text: words(task) }, ...more],
      } as never);
      return item;
    };
    const milk = await add("Milk, fresh", [{ column_id: column("cost"), number: [2] }]);
    const bread = await add("Bread", [{ column_id: column("who"), user: [JOHN] }]);
    return { list: made.list_id as string, column, add, milk, bread };
  }

  test("have rows with cells of their columns' types", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const { list, column, milk, bread } = await filled(scene);

    await agent.slackLists.items.update({
      list_id: list,
      cells: [
        { row_id: milk.id, column_id: column("state"), select: ["done"] },
        { row_id: milk.id, column_id: column("cost"), number: [3] },
      ],
    } as never);

    const { items }: any = await agent.slackLists.items.list({ list_id: list });
    expect(items.map(({ id }: any) => id)).toEqual([milk.id, bread.id]);
    expect(items[0]).toMatchObject({ list_id: list, created_by: AGENT, updated_by: AGENT });
    expect(items[0].fields).toMatchObject([
      { key: "task", text: "Milk, fresh" },
      { key: "cost", number: [3] },
      { key: "state", select: ["done"] },
    ]);
    expect(items[1].fields).toMatchObject([{ key: "task" }, { key: "who", user: [JOHN] }]);
  });

  test("have child rows, copies of rows, and deleted rows", async () => {
    const scene = await newScene();
    const { agent } = scene;
    const { list, milk, bread } = await filled(scene);
    const create = async (args: object) => {
      const { item }: any = await agent.slackLists.items.create({
        list_id: list,
        ...args,
      } as never);
      return item;
    };
    const below = await create({ parent_item_id: milk.id });
    const copy = await create({ duplicated_item_id: bread.id });

    const info: any = await agent.slackLists.items.info({
      list_id: list,
      id: milk.id,
      include_is_subscribed: true,
    });
    expect(info.list).toMatchObject({ id: list, title: "Errands" });
    expect(info.record).toMatchObject({ id: milk.id, is_subscribed: true });
    expect(info.subtasks.map(({ id }: any) => id)).toEqual([below.id]);
    expect(copy.fields).toEqual(bread.fields);

    await agent.slackLists.items.delete({ list_id: list, id: milk.id });
    await agent.slackLists.items.deleteMultiple({ list_id: list, ids: [bread.id, "Rec99NOTHING"] });
    const left: any = await agent.slackLists.items.list({ list_id: list });
    expect(left.items.map(({ id }: any) => id)).toEqual([copy.id]);
  });

  test("are copied, renamed, shared and exported", async () => {
    const scene = await newScene();
    const { agent, robin } = scene;
    const { list } = await filled(scene);
    const copied: any = await agent.slackLists.create({
      name: "Again",
      copy_from_list_id: list,
      include_copied_list_records: true,
      todo_mode: true,
    });
    expect((await agent.slackLists.items.list({ list_id: copied.list_id })).items).toHaveLength(2);

    const read = () => outcome(robin.slackLists.items.list({ list_id: list }));
    expect(await read()).toBe("list_not_found");
    await agent.slackLists.access.set({ list_id: list, access_level: "read", user_ids: [ROBIN] });
    expect(await read()).toBe("ok");
    expect(await outcome(robin.slackLists.update({ id: list, name: "Mine" }))).toBe(
      "permission_denied",
    );
    await agent.slackLists.access.delete({ list_id: list, user_ids: [ROBIN] });
    expect(await read()).toBe("list_not_found");

    await agent.slackLists.update({ id: list, name: "Shopping" });
    const { job_id: job = "" } = await agent.slackLists.download.start({ list_id: list });
    const done: any = await agent.slackLists.download.get({ list_id: list, job_id: job });
    expect(done.status).toBe("COMPLETED");
    const file = await fetch(done.download_url, {
      headers: { Authorization: `Bearer xoxp-${AGENT}` },
    });
    expect(await file.text()).toBe(`Task,Who,State,Cost\n"Milk, fresh",,,2\nBread,${JOHN},,\n`);
  });

  test("are listed in pages", async () => {
    const scene = await newScene();
    const { list, add } = await filled(scene);
    await add("Eggs");
    const sizes: number[] = [];
    for await (const page of scene.agent.paginate("slackLists.items.list", {
      list_id: list,
      limit: 2,
    }))
      sizes.push((page as any).items.length);

    expect(sizes).toEqual([2, 1]);
  });

  test.each([
    ["channel", GENERAL, "C99NOWHERE", "channel_not_found"],
    ["user", JOHN, "U99NOBODY", "user_not_found"],
    ["todo_assignee", JOHN, "U99NOBODY", "user_not_found"],
    ["attachment", undefined, "F99NOTHING", "file_not_found"],
    ["canvas", undefined, "F99NOTHING", "file_not_found"],
  ])("refer in a column of type %s to what exists", async (type, known, unknown, code) => {
    const { agent } = await newScene();
    const made: any = await agent.slackLists.create({
      name: "References",
      schema: [schema[0], { key: "about", name: "About", type }],
    } as never);
    const columnId = made.list_metadata.schema.find(({ key }: any) => key === "about").id;
    const field = type.replace("todo_assignee", "user");
    const add = (ids: (string | undefined)[]) =>
      outcome(
        agent.slackLists.items.create({
          list_id: made.list_id,
          initial_fields: [{ column_id: columnId, [field]: ids }],
        } as never),
      );

    if (known) expect(await add([known, known])).toBe("ok");
    expect(await add(known ? [known, unknown] : [unknown])).toBe(code);
    expect((await agent.slackLists.items.list({ list_id: made.list_id })).items).toHaveLength(
      known ? 1 : 0,
    );
  });

  test("reject values that do not fit their columns, and change no cell", async () => {
    const scene = await newScene();
    const { list, column, milk } = await filled(scene);
    const before = await scene.state();
    const row = { row_id: milk.id };
    const cases: [string, object][] = [
      ["invalid_column_id", { ...row, column_id: "Col99" }],
      ["column_id_not_provided", row],
      ["row_id_not_provided", { column_id: column("cost"), number: [1] }],
      ["row_not_found", { row_id: "Rec99", column_id: column("cost"), number: [1] }],
      ["invalid_input_type", { ...row, column_id: column("cost"), number: ["much"] }],
      ["invalid_option_id", { ...row, column_id: column("state"), select: ["lost"] }],
      ["user_not_found", { ...row, column_id: column("who"), user: ["U99NOBODY"] }],
      ["invalid_text_block", { ...row, column_id: column("task"), rich_text: ["x"] }],
    ];

    for (const [code, cell] of cases) {
      const right = { ...row, column_id: column("cost"), number: [99] };
      const call = scene.agent.slackLists.items.update({
        list_id: list,
        cells: [right, cell],
      } as never);
      expect([code, await outcome(call)]).toEqual([code, code]);
    }

    expect(await scene.state()).toEqual(before);
  });
});
