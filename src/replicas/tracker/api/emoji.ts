/** Custom emoji of the workspace. */
import type { Resolvers } from "~/graphql/resolvers";
import {
  createRow,
  type Given,
  type Optional,
  removeRow,
  type Target,
} from "~/replicas/tracker/change";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, invalidInput } from "~/replicas/tracker/errors";
import { having } from "~/replicas/tracker/store/lookups";

type Create = { readonly id?: Optional<string>; readonly name: string; readonly url: string };

export const emojis: Resolvers<Context> = {
  Emoji: {
    source: () => "custom",
  },
  Mutation: {
    emojiCreate: async (_source, { input }: Given<Create>, context) => {
      const name = input.name.toLowerCase();
      if (!/^[\w+-]{1,100}$/.test(name))
        throw invalidArgument(
          "name",
          input.name,
          "matches",
          "name must be letters, digits, - and _",
        );
      if (await context.read.find("Emoji", having({ name })))
        throw invalidInput(`There is already an emoji named "${name}"`);
      const creatorId = context.viewer.id;
      return { emoji: await createRow(context, "Emoji", { ...input, name, creatorId }) };
    },
    emojiDelete: (_source, { id }: Target, context) => removeRow(context, "Emoji", id),
  },
};
