/** Field masks of Google's APIs. */
import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { masked, readMask, unknownFieldIn } from "~/replicas/kit/google/fields";

const wrong = () => new Error("no mask");
const VALUE = { kind: "list", items: [{ id: "a", start: { date: "2026-01-05", zone: "UTC" } }] };

test.each<[string, object]>([
  ["kind", { kind: "list" }],
  ["items/id", { items: [{ id: "a" }] }],
  ["items(id,start/zone)", { items: [{ id: "a", start: { zone: "UTC" } }] }],
  ["items/start/*", { items: [{ start: VALUE.items[0]?.start }] }],
  ["items/id,items", { items: VALUE.items }],
  ["items,items/id", { items: VALUE.items }],
  ["items(start/zone,start)", { items: [{ start: VALUE.items[0]?.start }] }],
  ["*", VALUE],
  ["kind,*,items/id", VALUE],
])("%s selects %j", (text, selected) => {
  const without = JSON.parse(JSON.stringify(masked(VALUE, readMask(text, wrong))));
  expect(without).toEqual(selected);
});

test.each(["", "items(", "items)", "a,,b", "/a", "a//b", "a(b))", "(".repeat(30)])(
  "%j is no mask",
  (text) => {
    expect(() => readMask(text, wrong)).toThrow("no mask");
  },
);

test.each<[string, string | undefined]>([
  ["kind,items/id", undefined],
  ["items/start/anything", undefined],
  ["*", undefined],
  ["items/*", undefined],
  ["kinds", "kinds"],
  ["items(id,titel)", "titel"],
  ["kind,toString", "toString"],
  ["items/parts/parts(id,parts)", undefined],
  ["items/parts/parts/titel", "titel"],
])("of %s, no answer has %s", (text, name) => {
  const start = Type.Object({ date: Type.String() }, { additionalProperties: true });
  const part = Type.Recursive(
    (inner) => Type.Object({ id: Type.String(), parts: Type.Array(inner) }),
    { $id: "Part" },
  );
  const item = Type.Object({ id: Type.String(), start, parts: Type.Array(part) });
  const shape = Type.Object({ kind: Type.String(), items: Type.Array(item) });

  expect(unknownFieldIn(readMask(text, wrong), shape)).toBe(name);
});
