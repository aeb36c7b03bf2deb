/** That a test of a suite can be solved, and is not passed by accident. */

export type Proof<Client> = {
  /** Calls that do what the prompt asks for: the verdict is passed, 100 percent. */
  readonly solution: (client: Client) => Promise<unknown>;
  /** What an agent plausibly gets wrong: the verdict is failed, and a line of `failures` begins with `failure`. */
  readonly mistakes: {
    readonly [what: string]: {
      readonly act: (client: Client) => Promise<unknown>;
      readonly failure: string;
    };
  };
};

/** By the name of the test. */
export type Proofs<Client> = { readonly [test: string]: Proof<Client> };
