import { expect, test } from "bun:test";
import { endOf } from "~/capture/promotion";

const HISTORY =
  "1\t0/3000148\tno recovery target specified\n\n2\tA/5000000\tno recovery target specified\n";

test.each([
  [1, 0x3000148n],
  [2, 0xa_0500_0000n],
  [3, undefined],
  [12, undefined],
])("timeline %d ended where the history says", (timeline, end) => {
  expect(endOf(timeline, HISTORY)).toBe(end as bigint);
});
