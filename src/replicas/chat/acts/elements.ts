/** The interactive elements of blocks, and what a person chooses in them. */
import { isObject } from "~/input/json";
import { known } from "~/input/nearest";
import { type Choices, type Item, itemsIn, KINDS, type Kind } from "~/replicas/chat/acts/kinds";
import { rejected } from "~/replicas/chat/acts/rejected";
import type { Wire } from "~/replicas/chat/views/wire";

/** An element, where it is in its message or view. */
export type Element = {
  readonly type: string;
  readonly blockId: string;
  readonly actionId: string;
  readonly content: Item;
  /** It is in an input block. */
  readonly isInput: boolean;
  /** Its app learns of each change. */
  readonly isDispatched: boolean;
  /** The attachment that it is in, by its id. */
  readonly attachment: number | undefined;
};

type Choice = string | number | Item;
export type Value = Choice | readonly Choice[] | null;

/** The elements of a block. */
function elementsIn(block: Item): Item[] {
  const { type, accessory, element } = block;
  if (type === "section") return isObject(accessory) ? [accessory] : [];
  if (type === "input") return isObject(element) ? [element] : [];
  if (type === "card") return itemsIn(block["actions"]);
  if (type === "carousel")
    return itemsIn(block["elements"]).flatMap((card) => itemsIn(card["actions"]));
  return type === "actions" || type === "context_actions" ? itemsIn(block["elements"]) : [];
}

/** The interactive elements of blocks, in order. One without an `action_id` has its place in the block instead. */
export function elementsOf(blocks: readonly Item[], attachment?: number): Element[] {
  return blocks.flatMap((block) => {
    const isInput = block["type"] === "input";
    const own = elementsIn(block).flatMap((content, place): Element[] => {
      const type = String(content["type"]);
      if (!Object.hasOwn(KINDS, type)) return [];
      return [
        {
          type,
          blockId: String(block["block_id"] ?? ""),
          actionId: String(content["action_id"] || `element_${place}`),
          content,
          isInput,
          isDispatched: !isInput || block["dispatch_action"] === true,
          attachment,
        },
      ];
    });
    return [...own, ...elementsOf(itemsIn(block["child_blocks"]), attachment)];
  });
}

/** The element that an act names. Throws `invalid_request`. */
export function requireElement(
  elements: readonly Element[],
  { block_id: block, action_id: action }: { block_id?: string; action_id: string },
): Element {
  const found = elements.filter(
    ({ actionId, blockId }) => actionId === action && (block === undefined || blockId === block),
  );
  const [only, another] = found;
  if (another) throw rejected("block_id", `needed, as ${found.length} elements are ${action}`);
  if (only) return only;
  const ids = elements.map(({ actionId }) => actionId);
  throw rejected("action_id", `there is no such interactive element${known(action, ids)}`);
}

const kindOf = ({ type }: Element): Kind => KINDS[type] ?? {};

/** The choice that a value stands for in an element. Throws `invalid_request`; `path`: of the value. */
export async function chosenIn(
  element: Element,
  value: Value | undefined,
  choices: Choices,
  path: string,
): Promise<unknown> {
  const { field, isMany, read, lacks } = kindOf(element);
  const { content } = element;
  if (lacks !== undefined) throw rejected(path, lacks);
  if (field === undefined) {
    if (value === undefined || value === content["value"]) return content["value"];
    throw rejected(path, "the element has another value, which need not be given");
  }
  if (value === undefined) throw rejected(path, `needed for an element ${element.type}`);
  if (value === null) return isMany ? [] : null;
  if (Array.isArray(value) !== (isMany === true))
    throw rejected(path, isMany ? "a list is needed" : "one value is needed");
  const wanted: readonly Choice[] = Array.isArray(value) ? value : [value];
  const most = content["max_selected_items"];
  if (typeof most === "number" && wanted.length > most)
    throw rejected(path, `no more than ${most} can be chosen`);
  const found: unknown[] = [];
  for (const each of new Set(wanted)) {
    const one = await read?.(each, content, choices);
    if (one === undefined)
      throw rejected(path, `the person cannot choose ${JSON.stringify(each).slice(0, 100)} here`);
    found.push(one);
  }
  return isMany ? found : found[0];
}

/** Fields of an element that its actions have, too. */
const SHOWN = /^(?:text|url|style|confirm|placeholder|initial_\w+)$/;

/** An action of `actions`, as the service sends it. */
export function actionOf(element: Element, chosen: unknown, stamp: string): Wire {
  const { type, blockId, actionId, content } = element;
  const { field = "value" } = kindOf(element);
  const shown = Object.entries(content).filter(([name]) => SHOWN.test(name));
  return {
    type,
    action_id: actionId,
    block_id: blockId,
    ...Object.fromEntries(shown),
    [field]: chosen,
    action_ts: stamp,
  };
}

/** The choice before a person does anything. */
function initialOf(element: Element): unknown {
  const { field = "", isMany } = kindOf(element);
  const { content } = element;
  const name = field.replace(/^selected_|^rich_text_/, "");
  return content[`initial_${name}`] ?? (isMany ? [] : null);
}

export type State = Readonly<Record<string, Readonly<Record<string, Wire>>>>;

/** `state.values`: everything that can be chosen, with what is chosen. */
export function stateOf(
  elements: readonly Element[],
  chosen: ReadonlyMap<Element, unknown>,
): State {
  const values: Record<string, Record<string, Wire>> = {};
  for (const element of elements) {
    const { field, isMomentary } = kindOf(element);
    if (field === undefined || isMomentary) continue;
    const value = chosen.has(element) ? chosen.get(element) : initialOf(element);
    values[element.blockId] = {
      ...values[element.blockId],
      [element.actionId]: { type: element.type, [field]: value },
    };
  }
  return values;
}

export type Values = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** The choices of `values`: by block and element. Throws `invalid_request`. */
export async function chosenBy(
  elements: readonly Element[],
  values: Values,
  choices: Choices,
): Promise<Map<Element, unknown>> {
  const chosen = new Map<Element, unknown>();
  for (const [block, inside] of Object.entries(values))
    for (const [action, value] of Object.entries(inside)) {
      const path = `values.${block}.${action}`;
      const element = elements.find(
        ({ blockId, actionId }) => blockId === block && actionId === action,
      );
      const ids = elements.map(({ blockId, actionId }) => `${blockId}.${actionId}`);
      if (!element)
        throw rejected(path, `there is no such element${known(`${block}.${action}`, ids)}`);
      if (kindOf(element).field === undefined || kindOf(element).isMomentary)
        throw rejected(path, `an element ${element.type} keeps no value`);
      chosen.set(element, await chosenIn(element, value, choices, path));
    }
  return chosen;
}
