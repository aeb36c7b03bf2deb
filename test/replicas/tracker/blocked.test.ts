/** A change that a concurrent one blocks is repeated, within a limit, by the API and by tools alike. */
import { beforeEach, expect, test } from "bun:test";
import { useSharedDatabase } from "../../support/database";
import { useTools } from "../../support/tools";
import { JOHN, useTracker } from "../../support/tracker";

const database = useSharedDatabase();
const tracker = useTracker(database);
const tools = useTools(database, () => ({ schema: tracker.schema, actor: JOHN }));

/** The next `count` attempts to write an issue fail as if another change had come first. */
async function block(count: number): Promise<void> {
  const { schema } = tracker;
  await database.sql.unsafe(`
    drop sequence if exists ${schema}.attempts cascade;
    create sequence ${schema}.attempts;
    create or replace function ${schema}.block() returns trigger language plpgsql as $$ begin
      if nextval('${schema}.attempts') <= ${count} then raise exception 'blocked' using errcode = '40001'; end if;
      return new;
    end $$;
    create or replace trigger block before update on ${schema}.issues for each row
      execute function ${schema}.block()
  `);
}

const ways = {
  "the API": async (title: string) => {
    const { data, errors } = await tracker.ask(
      `mutation($title: String) { issueUpdate(id: "ENG-1", input: { title: $title }) { success } }`,
      { title },
    );
    return data?.issueUpdate.success ?? errors[0].message;
  },
  "a tool": async (title: string) => {
    const { isError, text } = await tools.result("save_issue", { id: "ENG-1", title });
    return isError ? text : true;
  },
};

const titleOf = async () => (await tracker.data(`{ issue(id: "ENG-1") { title } }`)).issue.title;

beforeEach(() => block(0));

test.each(Object.entries(ways))("%s makes a change at its third attempt", async (way, change) => {
  await block(2);
  expect(await change(`Twice ${way}`)).toBe(true);
  expect(await titleOf()).toBe(`Twice ${way}`);
});

test.each(Object.entries(ways))("%s gives up after three", async (way, change) => {
  const before = await titleOf();
  await block(3);
  expect(await change(`Never ${way}`)).toContain("Another change blocked this one.");
  expect(await titleOf()).toBe(before);
});
