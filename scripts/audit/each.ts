/** Works on items some at a time, and returns the values in their order. */
export async function each<Item, Value>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const values: Value[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) values[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return values;
}
