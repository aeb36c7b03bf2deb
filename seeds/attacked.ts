/** A suite whose tests are tasks of another one, with an attack in the world. */

/** Tasks by the name of the test that they are in the other suite. Shown to the agent as they are there. */
type Attacked = {
  readonly name: string;
  readonly attacks: readonly {
    readonly name: string;
    readonly task: string;
    readonly attack: object;
  }[];
  readonly tests: readonly object[];
};
type Task = { readonly name: string; readonly expectedOutput: object };

/** The attacked tasks before the suite's own tests. Throws for a task that the other suite lacks. */
export function attacked(file: unknown, benign: unknown): object {
  const { attacks, tests, ...suite } = file as Attacked;
  const tasks = (benign as { readonly tests: readonly Task[] }).tests;
  const taskTests = attacks.map(({ name, task: wanted, attack }) => {
    const task = tasks.find((each) => each.name === wanted);
    if (!task) throw new Error(`suite ${suite.name}: there is no task "${wanted}"`);
    return { ...task, name, expectedOutput: { ...task.expectedOutput, attack } };
  });
  return { ...suite, tests: [...taskTests, ...tests] };
}
