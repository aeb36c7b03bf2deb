// The parts of optional packages that the client uses. Those who use the client have the packages' own types.
declare module "vitest" {
  type Failure = { message: string; stack?: string };
  type Task = {
    readonly name: string;
    readonly suite?: { readonly name: string };
    readonly result?: { readonly errors?: Failure[] };
  };
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it
  // biome-ignore lint/style/useConsistentTypeDefinitions: the client extends it
  interface Matchers<T = any> {}
  export const expect: { extend(matchers: object): void };
  export const test: {
    extend<Fixtures>(
      fixtures: {
        [name in keyof Fixtures]: (
          context: { readonly task: Task },
          use: (value: Fixtures[name]) => Promise<void>,
        ) => Promise<void>;
      },
    ): TestAPI<Fixtures>;
  };
  export type TestAPI<Fixtures> = (
    name: string,
    work: (fixtures: Fixtures) => unknown,
    timeoutMs?: number,
  ) => void;
}
declare module "expect" {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the client extends it
  interface Matchers<R> {}
}
declare module "@jest/globals" {
  type Declare = (name: string, work: () => Promise<void>, timeoutMs?: number) => void;
  export const expect: {
    extend(matchers: object): void;
    getState(): { readonly currentTestName?: string };
  };
  export const test: Declare & { readonly only: Declare; readonly skip: Declare };
}
