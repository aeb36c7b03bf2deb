/** The fields that a request selects below a field, so that computed values are read together with their row. */
import { type FieldNode, Kind, type SelectionSetNode } from "graphql";
import type { Fragments } from "~/graphql/collect";
import type { FieldInfo } from "~/graphql/compile";

type Place = Pick<FieldInfo, "fieldNodes" | "fragments">;

/** Documents are cached together with their nodes, so each set is walked once. */
const cache = new WeakMap<SelectionSetNode, ReadonlySet<string>>();
const below = new WeakMap<FieldNode, ReadonlySet<string>>();

const NOTHING: ReadonlySet<string> = new Set();

/** The names of all fields of a selection, fragments included. */
function namesIn(set: SelectionSetNode, fragments: Fragments): ReadonlySet<string> {
  const known = cache.get(set);
  if (known) return known;
  const names = new Set<string>();
  walk(set, fragments, (field) => names.add(field.name.value));
  cache.set(set, names);
  return names;
}

function walk(
  set: SelectionSetNode,
  fragments: Fragments,
  visit: (field: FieldNode) => void,
): void {
  for (const node of set.selections)
    if (node.kind === Kind.FIELD) visit(node);
    else {
      const nested =
        node.kind === Kind.INLINE_FRAGMENT
          ? node.selectionSet
          : fragments[node.name.value]?.selectionSet;
      if (nested) walk(nested, fragments, visit);
    }
}

/** The fields selected on the object that a resolver returns. */
export function selectedFields({ fieldNodes, fragments }: Place): ReadonlySet<string> {
  const [first] = fieldNodes;
  if (fieldNodes.length === 1)
    return first?.selectionSet ? namesIn(first.selectionSet, fragments) : NOTHING;
  return new Set(
    fieldNodes.flatMap(({ selectionSet }) =>
      selectionSet ? [...namesIn(selectionSet, fragments)] : [],
    ),
  );
}

/** The fields selected on the nodes of a connection. */
export function selectedOfNodes({ fieldNodes, fragments }: Place): ReadonlySet<string> {
  const [first] = fieldNodes;
  const known = first && fieldNodes.length === 1 ? below.get(first) : undefined;
  if (known) return known;
  const names = new Set<string>();
  const add = ({ selectionSet }: FieldNode) => {
    if (selectionSet) for (const name of namesIn(selectionSet, fragments)) names.add(name);
  };
  for (const { selectionSet } of fieldNodes)
    if (selectionSet)
      walk(selectionSet, fragments, (field) => {
        if (field.name.value === "nodes") add(field);
        else if (field.name.value === "edges" && field.selectionSet)
          walk(field.selectionSet, fragments, (inner) => inner.name.value === "node" && add(inner));
      });
  if (first && fieldNodes.length === 1) below.set(first, names);
  return names;
}

/** Whether only the id is selected: then a foreign key is enough, without a query. */
export function wantsOnlyId(names: ReadonlySet<string>): boolean {
  for (const name of names) if (name !== "id" && name !== "__typename") return false;
  return true;
}
