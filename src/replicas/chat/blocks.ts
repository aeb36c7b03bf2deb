/**
 * Validates Block Kit: block types, their fields and the limits of these.
 * Facts from the service's published reference of blocks, elements and composition objects.
 */

import { isObject } from "~/input/json";
import {
  add,
  all,
  anything,
  byType,
  choice,
  type Fields,
  flag,
  type Item,
  list,
  number,
  object,
  oneOf,
  type Problem,
  type Rule,
  string,
} from "~/replicas/chat/block-rules";
import { type Sourced, uuid } from "~/source";

export type { Problem };

export type Block = { type: string; block_id: string; [field: string]: unknown };

const BLOCKS_MAX = 50;
const BLOCK_ID_LENGTH = 5;

// Composition objects
const plain = (max: number) =>
  object({ type: choice("plain_text"), text: string(max, 1), "emoji?": flag });
const text = (max: number) =>
  object({ type: choice("plain_text", "mrkdwn"), text: string(max, 1) });
const confirm = object({
  title: plain(100),
  text: text(300),
  confirm: plain(30),
  deny: plain(30),
  "style?": choice("primary", "danger"),
});
const option = object({
  text: text(75),
  value: string(150, 1),
  "description?": plain(75),
  "url?": string(3000),
});
const optionGroup = object({ label: plain(75), options: list(option, 100) });
const slackFile = all(object({ "id?": string(255), "url?": string(3000) }), oneOf("id", "url"));

// Elements
const actionId = { "action_id?": string(255) };
const interactive = { ...actionId, "confirm?": confirm, "focus_on_load?": flag };
const placeholder = { "placeholder?": plain(150) };
const image: Rule = all(
  object({ "image_url?": string(3000), "slack_file?": slackFile, alt_text: string(2000, 1) }),
  oneOf("image_url", "slack_file"),
);
const select = (fields: Fields) => object({ ...interactive, ...placeholder, ...fields });
const staticOptions = { "options?": list(option, 100), "option_groups?": list(optionGroup, 100) };
const many = { "max_selected_items?": number };
const button = object({
  ...interactive,
  text: plain(75),
  "url?": string(3000),
  "value?": string(2000),
  "style?": choice("primary", "danger"),
  "accessibility_label?": string(75),
});
const workflowButton = object({
  ...actionId,
  text: plain(75),
  workflow: object({ trigger: anything }),
});

const ELEMENTS: Readonly<Record<string, Rule>> = {
  button,
  checkboxes: object({
    ...interactive,
    options: list(option, 10),
    "initial_options?": list(option, 10),
  }),
  radio_buttons: object({ ...interactive, options: list(option, 10), "initial_option?": option }),
  datepicker: object({ ...interactive, ...placeholder, "initial_date?": string(10) }),
  timepicker: object({ ...interactive, ...placeholder, "initial_time?": string(5) }),
  datetimepicker: object({ ...interactive, "initial_date_time?": number }),
  overflow: object({ ...actionId, options: list(option, 5), "confirm?": confirm }),
  static_select: all(
    select({ ...staticOptions, "initial_option?": option }),
    oneOf("options", "option_groups"),
  ),
  external_select: select({ "min_query_length?": number, "initial_option?": option }),
  users_select: select({ "initial_user?": string(255) }),
  conversations_select: select({ "initial_conversation?": string(255) }),
  channels_select: select({ "initial_channel?": string(255) }),
  multi_static_select: all(
    select({ ...staticOptions, ...many }),
    oneOf("options", "option_groups"),
  ),
  multi_external_select: select({ ...many, "min_query_length?": number }),
  multi_users_select: select(many),
  multi_conversations_select: select(many),
  multi_channels_select: select(many),
  workflow_button: workflowButton,
};
const INPUTS: Readonly<Record<string, Rule>> = {
  plain_text_input: object({
    ...actionId,
    ...placeholder,
    "initial_value?": string(3000),
    "multiline?": flag,
    "min_length?": number,
    "max_length?": number,
  }),
  email_text_input: object({ ...actionId, ...placeholder, "initial_value?": string(3000) }),
  url_text_input: object({ ...actionId, ...placeholder, "initial_value?": string(3000) }),
  number_input: object({ ...actionId, ...placeholder, is_decimal_allowed: flag }),
  file_input: object({ ...actionId, "filetypes?": list(string(50), 100), "max_files?": number }),
  rich_text_input: object({ ...actionId, ...placeholder }),
};
const { button: _button, workflow_button: _workflow, overflow: _overflow, ...SELECTING } = ELEMENTS;

const RICH_TEXT_LEAVES: Readonly<Record<string, Rule>> = {
  text: object({ text: string(40_000), "style?": anything }),
  link: object({ url: string(3000, 1), "text?": string(3000) }),
  emoji: object({ name: string(255, 1) }),
  user: object({ user_id: string(255, 1) }),
  usergroup: object({ usergroup_id: string(255, 1) }),
  channel: object({ channel_id: string(255, 1) }),
  broadcast: object({ range: choice("here", "channel", "everyone") }),
  color: object({ value: string(10, 1) }),
  date: object({ timestamp: number, format: string(255, 1) }),
  team: object({ team_id: string(255, 1) }),
};
const leaves = list(byType("rich text", RICH_TEXT_LEAVES), 1_000, 0);
const richTextSection = object({ elements: leaves });
const RICH_TEXT: Readonly<Record<string, Rule>> = {
  rich_text_section: richTextSection,
  rich_text_preformatted: richTextSection,
  rich_text_quote: richTextSection,
  rich_text_list: object({
    style: choice("bullet", "ordered"),
    elements: list(byType("rich text", { rich_text_section: richTextSection }), 1_000),
  }),
};
const richText = object({ elements: list(byType("rich text", RICH_TEXT), 1_000, 0) });

const blockId = { "block_id?": string(255) };
const block = (fields: Fields) => object({ ...blockId, ...fields });

const card = {
  "hero_image?": image,
  "icon?": image,
  "title?": text(150),
  "subtitle?": text(150),
  "body?": text(3000),
  "actions?": list(button, 5),
};
const taskCard = block({
  task_id: string(255, 1),
  title: string(255, 1),
  status: choice("pending", "in_progress", "complete", "error"),
  "details?": richText,
  "output?": richText,
});

const SIMPLE: Readonly<Record<string, Rule>> = {
  actions: block({ elements: list(byType("element", ELEMENTS), 25) }),
  context: block({
    elements: list(byType("element", { image, plain_text: text(2000), mrkdwn: text(2000) }), 10),
  }),
  context_actions: block({ elements: list(anything, 5) }),
  divider: block({}),
  file: block({ external_id: string(255, 1), source: choice("remote") }),
  header: block({ text: plain(150) }),
  image: all(block({ "title?": plain(2000) }), image),
  input: block({
    label: plain(2000),
    element: byType("element", { ...SELECTING, ...INPUTS }),
    "hint?": plain(2000),
    "optional?": flag,
    "dispatch_action?": flag,
  }),
  markdown: block({ text: string(12_000, 1) }),
  rich_text: all(block({}), richText),
  section: all(
    block({
      "text?": text(3000),
      "fields?": list(text(2000), 10),
      "accessory?": byType("element", { ...ELEMENTS, image }),
      "expand?": flag,
    }),
    oneOf("text", "fields"),
  ),
  table: block({ rows: list(list(anything, 20), 100) }),
  data_table: block({ rows: list(list(anything, 20), 100), caption: string(2000, 1) }),
  alert: block({
    text: text(3000),
    "level?": choice("default", "info", "warning", "error", "success"),
  }),
  card: block(card),
  carousel: block({ elements: list(object(card), 10) }),
  task_card: taskCard,
  plan: block({ title: string(255, 1), "tasks?": list(taskCard, 50, 0) }),
  video: block({
    alt_text: string(2000, 1),
    title: plain(199),
    thumbnail_url: string(3000, 1),
    video_url: string(3000, 1),
    "author_name?": string(49),
    "description?": plain(200),
    "provider_name?": string(255),
    "title_url?": string(3000),
  }),
};
const BLOCKS: Readonly<Record<string, Rule>> = {
  ...SIMPLE,
  container: block({
    "title?": plain(150),
    "subtitle?": text(150),
    child_blocks: list(byType("block", SIMPLE), 50, 0),
    "width?": choice("narrow", "standard", "wide", "full"),
  }),
};

const appOptions = all(
  object({ "options?": list(option, 100, 0), "option_groups?": list(optionGroup, 100, 0) }),
  oneOf("options", "option_groups"),
);

/** Every mistake in the options that an app offers for a select: `options` or `option_groups`. */
export function findOptionProblems(offered: unknown): Problem[] {
  const problems: Problem[] = [];
  appOptions(offered, "", problems);
  return problems;
}

/** Every mistake in a list of blocks, with a JSON pointer below `/blocks`. */
export function findBlockProblems(blocks: unknown, max = BLOCKS_MAX): Problem[] {
  const problems: Problem[] = [];
  list(byType("block", BLOCKS), max, 0)(blocks, "/blocks", problems);
  const seen = new Set<unknown>();
  for (const [index, item] of Array.isArray(blocks) ? blocks.slice(0, max).entries() : []) {
    const id = isObject(item) && item["block_id"];
    if (!id) continue;
    if (seen.has(id)) {
      add(problems, "block_id must be unique", `/blocks/${index}/block_id`);
      break;
    }
    seen.add(id);
  }
  return problems;
}

/** Text objects with the flags that the service adds: `emoji` to plain text, `verbatim` to mrkdwn. */
function withTextFlags(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTextFlags);
  if (!isObject(value)) return value;
  const item = Object.fromEntries(
    Object.entries(value).map(([key, inside]) => [key, withTextFlags(inside)]),
  );
  if (typeof item["text"] !== "string") return item;
  if (item["type"] === "plain_text") return { ...item, emoji: item["emoji"] ?? true };
  return item["type"] === "mrkdwn" ? { ...item, verbatim: item["verbatim"] ?? false } : item;
}

/** Valid blocks as they are stored: each with a `block_id`, and texts with their flags. */
export const toStoredBlocks = ({ source }: Sourced, blocks: readonly Item[]): Block[] =>
  blocks.map((item) => {
    const { type, block_id: id, ...rest } = withTextFlags(item) as Item;
    const blockId =
      typeof id === "string" && id !== "" ? id : uuid(source).slice(0, BLOCK_ID_LENGTH);
    return { type: String(type), block_id: blockId, ...rest };
  });
