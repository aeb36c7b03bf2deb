/** The shapes of seeds. */
import { Type } from "@sinclair/typebox";

const text = Type.Optional(Type.String());

/** The fields of every seed file. */
export const HEADING = {
  template: text,
  service: text,
  description: text,
  extends: text,
  now: text,
};
