/** Every error that the description of a tool names and that can arise here. A rejected call leaves no trace. */
import { describe, expect, test } from "bun:test";
import { vendor } from "~/replicas/chat/mcp/vendor";
import { callTool } from "../../../support/mcp";
import type { Case } from "../refusals/case";
import { archived, foreign, soon } from "../refusals/chat";
import { deleted, share } from "../refusals/items";
import { AGENT, GENERAL, HELLO, type Scene, useScenes, WELCOME } from "../scene";

const newScene = useScenes();

/** The codes in a description, of which NEVER have no cause here. */
const named = (description: string) => {
  const [, list = ""] = /Errors: (.*)\.$/s.exec(description) ?? [];
  return list.split(/, (?![^(]*\))/).map((code) => code.replace(/ \(.*/s, ""));
};

/** Codes without a cause in a replica, and why. */
const NEVER: Readonly<Record<string, string>> = {
  mcp_externally_shared_channel_restricted: "no channel is shared with other organizations",
  invalid_blocks: "Markdown always becomes valid blocks",
  draft_already_exists: "a draft replaces the one before it, as the vendor's server was seen to do",
  failed_to_create_draft: "a draft is a row",
  missing_scope: "an environment's token has every scope",
  not_supported_free_team: "the workspace has a plan with canvases",
  canvas_disabled_user_team: "the workspace has canvases",
  "slack_add_reaction not_in_channel": "the Web API lets people react in public channels",
  "slack_get_reactions not_in_channel": "as above",
  "slack_read_thread message_not_found": "the Web API answers thread_not_found",
};
const canArise = (tool: string, code: string) => !(code in NEVER || `${tool} ${code}` in NEVER);

const say = (more: object = {}) => ({ channel_id: GENERAL, message: "hi", ...more });
const later = (more: object = {}) => say({ post_at: soon(), ...more });
const react = (more: object = {}) => ({
  ...{ channel_id: GENERAL, message_ts: WELCOME, emoji: "tada" },
  ...more,
});
const at = (more: object = {}) => ({ channel_id: GENERAL, message_ts: WELCOME, ...more });

const NOWHERE = { channel_id: "C0NOWHERE" };
const ABSENT = { message_ts: "1767603600.999999" };
const DAY_SECONDS = 86_400;

async function byAdminsOnly(scene: Scene) {
  await scene.write("teams", "who_can_post_general = 'admin'");
}
async function asGuest(scene: Scene) {
  await scene.write("users", "is_restricted = true", `id = '${AGENT}'`);
}
async function asBot(scene: Scene) {
  await scene.write("users", "is_bot = true, bot_id = 'B01AGENT'", `id = '${AGENT}'`);
}
type Args = Readonly<Record<string, unknown>>;
const after =
  (
    prepare: (scene: Scene) => Promise<unknown>,
    args: (scene: Scene) => Args | Promise<Args>,
  ): Case =>
  async (scene) => {
    await prepare(scene);
    return await args(scene);
  };
const posting: Readonly<Record<string, Case>> = {
  channel_not_found: say(NOWHERE),
  permission_denied: after(byAdminsOnly, () => say()),
  is_archived: async (scene) => say({ channel_id: await archived(scene) }),
  not_in_channel: async (scene) => say({ channel_id: await foreign(scene) }),
  thread_reply_not_available: say({ thread_ts: ABSENT.message_ts }),
  no_text: say({ message: " " }),
  msg_too_long: say({ message: "x".repeat(5_001) }),
};
const scheduled = Object.fromEntries(
  Object.entries(posting)
    // A scheduled reply finds its thread when it is sent.
    .filter(([code]) => code !== "thread_reply_not_available")
    .map(([code, given]) => [
      code,
      typeof given === "function"
        ? async (scene: Scene) => later(await given(scene))
        : later(given),
    ]),
);

/** By tool and code. */
const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  slack_send_message: {
    ...posting,
    message_limit_exceeded: after(
      (scene) => scene.write("teams", "message_limit = 3"),
      () => say(),
    ),
  },
  slack_schedule_message: {
    ...scheduled,
    time_in_past: later({ post_at: 60 }),
    time_too_far: later({ post_at: soon() + 121 * DAY_SECONDS }),
    restricted_too_many: async (scene) => {
      const one = { channel: GENERAL, text: "hi", post_at: Math.ceil(soon() / 300) * 300 };
      for (let count = 0; count < 30; count++) await scene.agent.chat.scheduleMessage(one);
      return later({ post_at: one.post_at });
    },
    message_limit_exceeded: after(
      (scene) => scene.write("teams", "message_limit = 3"),
      () => later(),
    ),
  },
  slack_send_message_draft: posting,
  slack_add_reaction: {
    message_not_found: react(ABSENT),
    invalid_name: react({ emoji: "no_such_emoji" }),
    channel_not_found: react(NOWHERE),
    is_archived: async (scene) => {
      await scene.write("channels", "is_archived = true", `id = '${GENERAL}'`);
      return react();
    },
    too_many_emoji: async (scene) => {
      // HELLO has one already, and 23 are allowed.
      const names =
        "one two three four five six seven eight nine eyes fire 100 heart star rocket pray ok_hand clap muscle bug bulb sunny zap";
      for (const name of names.split(" "))
        await scene.john.reactions.add({ channel: GENERAL, timestamp: HELLO, name });
      return react({ message_ts: HELLO });
    },
  },
  slack_create_conversation: {
    invalid_arguments: {},
    user_not_found: { user_ids: ["U0NOBODY"] },
    name_taken: { channel_name: "General" },
    restricted_action: after(asGuest, () => ({ channel_name: "new" })),
    cannot_dm_bot: after(asBot, () => ({ user_ids: ["U06BOT"] })),
    too_many_users: { user_ids: Array.from({ length: 9 }, (_, n) => `U0${n}ABC`) },
  },
  slack_create_canvas: {
    invalid_rich_text_content: { title: "x", content: "x".repeat(100_001) },
    permission_denied: after(asGuest, () => ({ title: "x", content: "y" })),
    user_not_found: { title: "x", content: "For ![](@U0NOBODY)" },
  },
  slack_update_canvas: {
    canvas_not_found: { canvas_id: "F0NOWHERE", action: "append", content: "x" },
  },
  slack_read_channel: {
    channel_not_found: NOWHERE,
    not_in_channel: after(asBot, async (scene) => ({ channel_id: await foreign(scene) })),
    invalid_cursor: { channel_id: GENERAL, cursor: "bm93aGVyZQ==" },
    invalid_ts_latest: { channel_id: GENERAL, latest: "noon" },
    invalid_ts_oldest: { channel_id: GENERAL, oldest: "noon" },
  },
  slack_read_thread: {
    thread_not_found: at(ABSENT),
    channel_not_found: at(NOWHERE),
    not_in_channel: after(asBot, async (scene) => at({ channel_id: await foreign(scene) })),
    invalid_cursor: at({ cursor: "bm93aGVyZQ==" }),
  },
  slack_read_user_profile: {
    user_not_found: { user_id: "U0NOBODY" },
    user_not_visible: after(asGuest, async (scene) => {
      await scene.sql.unsafe(
        `delete from "${scene.schema}".channel_members where user_id = '${AGENT}'`,
      );
      return { user_id: "U02JOHNADOE" };
    }),
  },
  slack_list_channel_members: {
    channel_not_found: NOWHERE,
    method_not_supported_for_channel_type: async (scene) => {
      const { channel } = await scene.agent.conversations.open({ users: "U02JOHNADOE" });
      return { channel_id: channel?.id };
    },
  },
  slack_get_reactions: {
    message_not_found: at(ABSENT),
    channel_not_found: at(NOWHERE),
  },
  slack_read_file: {
    file_not_found: { file_id: "F0NOWHERE" },
    file_deleted: async (scene) => ({ file_id: await deleted(scene) }),
    file_too_large: async (scene) => {
      const id = await share(scene, "agent", GENERAL);
      await scene.write("files", "size = 10 * 1024 * 1024 + 1", `id = '${id}'`);
      return { file_id: id };
    },
  },
  slack_search_public: {
    no_query: { query: " " },
    invalid_cursor: { query: "x", cursor: "x" },
  },
};

for (const [tool, cases] of Object.entries(CASES))
  describe(tool, () => {
    test.each(Object.entries(cases))("is rejected with %s", async (code, given) => {
      const scene = await newScene();
      const args = typeof given === "function" ? await given(scene) : given;
      const before = await scene.state();
      const url = `${scene.url.replace(/\/api$/, "")}/mcp`;

      expect(await callTool({ url, headers: {} }, tool, args)).toEqual({
        text: code,
        isError: true,
      });
      expect(await scene.state()).toEqual(before);
    });
  });

test("every code in a description is provoked, unless it has no cause here", () => {
  const wanted = vendor.tools.flatMap(({ name, description }) =>
    description.includes("Errors: ")
      ? named(description)
          .filter((code) => canArise(name, code))
          .map((code) => `${name} ${code}`)
      : [],
  );
  const provoked = Object.entries(CASES).flatMap(([tool, cases]) =>
    Object.keys(cases).map((code) => `${tool} ${code}`),
  );

  expect(wanted.length).toBeGreaterThan(40);
  expect(wanted.filter((each) => !provoked.includes(each))).toEqual([]);
});

test("a code without a cause is one that a description names", () => {
  const codes = vendor.tools.flatMap(({ name, description }) =>
    named(description).flatMap((code) => [code, `${name} ${code}`]),
  );

  expect(Object.keys(NEVER).filter((code) => !codes.includes(code))).toEqual([]);
});
