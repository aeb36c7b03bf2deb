/** The kinds of interactive elements, and what a person can choose in each. */
import { isObject } from "~/input/json";
import { findOptionProblems } from "~/replicas/chat/blocks";

export type Item = Readonly<Record<string, unknown>>;

/** Lookups of the things that a person can choose. */
export type Choices = {
  readonly hasUser: (id: string) => Promise<boolean>;
  readonly seesChannel: (id: string) => Promise<boolean>;
};

export const itemsIn = (value: unknown): Item[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export type Kind = {
  /** The field of an action, and of the state, that has what was chosen. None: it is pressed only. */
  readonly field?: string;
  readonly isMany?: true;
  /** It has no state: each choice stands for itself. */
  readonly isMomentary?: true;
  /** Undefined: nobody can choose that. */
  readonly read?: (
    value: string | number | Item,
    content: Item,
    choices: Choices,
  ) => Promise<unknown> | unknown;
  /** Why nobody can choose anything here. */
  readonly lacks?: string;
};

/** Of a text without a limit of its own. */
const TEXT_MAX = 3_000;

const groupsIn = (content: Item) =>
  itemsIn(content["option_groups"]).flatMap((group) => itemsIn(group["options"]));

const optionOf = (value: unknown, content: Item) =>
  [...itemsIn(content["options"]), ...groupsIn(content)].find(
    (option) => option["value"] === value,
  );
const userOf = async (id: unknown, _: Item, { hasUser }: Choices) =>
  typeof id === "string" && (await hasUser(id)) ? id : undefined;
const channelOf = async (id: unknown, _: Item, { seesChannel }: Choices) =>
  typeof id === "string" && (await seesChannel(id)) ? id : undefined;
const matching = (form: RegExp) => (value: unknown) =>
  typeof value === "string" && form.test(value) ? value : undefined;

function textOf(value: unknown, { min_length: min, max_length: max }: Item) {
  if (typeof value !== "string") return undefined;
  const isShort = typeof min === "number" && value.length < min;
  const isLong = value.length > (typeof max === "number" ? max : TEXT_MAX);
  return isShort || isLong ? undefined : value;
}

function numberOf(value: unknown, { is_decimal_allowed: hasFractions, ...bounds }: Item) {
  const number = Number(value);
  const { min_value: min, max_value: max } = bounds;
  const isBelow = min !== undefined && number < Number(min);
  const isAbove = max !== undefined && number > Number(max);
  const isForm = hasFractions === true ? Number.isFinite(number) : Number.isInteger(number);
  return value === "" || !isForm || isBelow || isAbove ? undefined : String(value);
}

/** An option as its app has offered it, with its text: the environment does not keep what apps offer. */
const offeredOf = (value: unknown) =>
  isObject(value) && findOptionProblems({ options: [value] }).length === 0 ? value : undefined;

const feedbackOf = (value: unknown, content: Item) =>
  [content["positive_button"], content["negative_button"]]
    .map((button) => (isObject(button) ? button["value"] : undefined))
    .find((known) => known !== undefined && known === value);

const richTextOf = (value: unknown) =>
  typeof value === "string" && value.length <= TEXT_MAX
    ? {
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements: [{ type: "text", text: value }] }],
      }
    : undefined;

const option = { field: "selected_option", read: optionOf } as const;
const options = { field: "selected_options", isMany: true, read: optionOf } as const;

/** By the type of the element. */
export const KINDS: Readonly<Record<string, Kind>> = {
  button: {},
  icon_button: {},
  workflow_button: {},
  feedback_buttons: { field: "value", isMomentary: true, read: feedbackOf },
  overflow: { ...option, isMomentary: true },
  static_select: option,
  radio_buttons: option,
  checkboxes: options,
  multi_static_select: options,
  external_select: { ...option, read: offeredOf },
  multi_external_select: { ...options, read: offeredOf },
  users_select: { field: "selected_user", read: userOf },
  multi_users_select: { field: "selected_users", isMany: true, read: userOf },
  conversations_select: { field: "selected_conversation", read: channelOf },
  multi_conversations_select: { field: "selected_conversations", isMany: true, read: channelOf },
  channels_select: { field: "selected_channel", read: channelOf },
  multi_channels_select: { field: "selected_channels", isMany: true, read: channelOf },
  datepicker: { field: "selected_date", read: matching(/^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$/) },
  timepicker: { field: "selected_time", read: matching(/^([01]\d|2[0-3]):[0-5]\d$/) },
  datetimepicker: {
    field: "selected_date_time",
    read: (value) => (Number.isInteger(value) && String(value).length === 10 ? value : undefined),
  },
  plain_text_input: { field: "value", read: textOf },
  email_text_input: { field: "value", read: matching(/^[^\s@]+@[^\s@]+$/) },
  url_text_input: { field: "value", read: matching(/^[a-z][a-z0-9+.-]*:\/\/\S+$/i) },
  number_input: { field: "value", read: numberOf },
  rich_text_input: { field: "rich_text_value", read: richTextOf },
  file_input: { field: "files", isMany: true, lacks: "files cannot be chosen" },
};

/** Whether the options of elements of a type come from their app. */
export const hasOptionsOfApp = (type: string): boolean => KINDS[type]?.read === offeredOf;
