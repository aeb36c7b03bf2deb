/** Every way in which a call can be refused. One file for each group of methods. */
import type { Refusals } from "./case";
import { chatRefusals } from "./chat";
import { conversationsRefusals } from "./conversations";
import { itemsRefusals } from "./items";

export const REFUSALS: Refusals = {
  ...chatRefusals,
  ...conversationsRefusals,
  ...itemsRefusals,
};
