/** Every way in which a call can be rejected. One file per group of methods. */
import { appsRefusals } from "./apps";
import type { Refusals } from "./case";
import { chatRefusals } from "./chat";
import { conversationsRefusals } from "./conversations";
import { itemsRefusals } from "./items";
import { keptRefusals } from "./kept";
import { workspaceRefusals } from "./workspace";

export const REFUSALS: Refusals = {
  ...chatRefusals,
  ...conversationsRefusals,
  ...itemsRefusals,
  ...appsRefusals,
  ...workspaceRefusals,
  ...keptRefusals,
};
