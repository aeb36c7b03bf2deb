import { isObject } from "~/input/json";
import { Json, Maybe } from "~/replicas/chat/arguments";
import { findBlockProblems, type Problem } from "~/replicas/chat/blocks";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { VIEW_BLOCKS_MAX } from "~/replicas/chat/view-payload";

/** Pointers to problems inside a message or a view begin with its name. */
const below = (name: string, given: unknown, max?: number): Problem[] => {
  if (!isObject(given)) throw new ChatError("invalid_blocks");
  return findBlockProblems(given["blocks"] ?? [], max).map(({ what, pointer }) => ({
    what,
    pointer: `/${name}${pointer}`,
  }));
};

export const blocks = [
  method("blocks.validate", {
    tier: 2,
    summary: "Validates blocks without posting them.",
    args: {
      blocks: Maybe(Json<unknown>("invalid_blocks")),
      message: Maybe(Json<unknown>("invalid_blocks", "A message with blocks.")),
      view: Maybe(Json<unknown>("invalid_blocks", "A view with blocks.")),
    },
    async handle(given) {
      if (given.blocks === undefined && given.message === undefined && given.view === undefined)
        throw invalidArguments("missing required field: blocks");
      if (given.blocks !== undefined && !Array.isArray(given.blocks))
        throw new ChatError("invalid_blocks");
      const problems = [
        ...(given.blocks === undefined ? [] : findBlockProblems(given.blocks)),
        ...(given.message === undefined ? [] : below("message", given.message)),
        ...(given.view === undefined ? [] : below("view", given.view, VIEW_BLOCKS_MAX)),
      ];
      return {
        errors: problems.map(({ what, pointer }) => ({
          code: "invalid_blocks",
          message: what,
          pointer,
          constraint: what,
        })),
      };
    },
  }),
];
