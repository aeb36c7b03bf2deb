/** New ids for rows that a statement selects. */
import type { Fragment } from "~/db/connect";
import type { TrackerSession } from "~/replicas/tracker/store/tables";
import { hexOf } from "~/source";

const SALT_BYTES = 16;

/** A random UUID (version 4) for each value of `key`, a text. */
export const uuidFor = ({ sql, source }: TrackerSession, key: Fragment): Fragment => sql`
  overlay(overlay(md5(${hexOf(source, SALT_BYTES)} || ${key}) placing '4' from 13) placing '8' from 17)::uuid
`;
