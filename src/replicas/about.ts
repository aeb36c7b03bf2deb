/** The facts of a service that are known outside its folder, without the code of its calls. */
export type About = {
  /** The value of `service` on the wire. */
  readonly service: string;
  /** The name of the real service, which agents know it by, and which requests may use too. */
  readonly alias: string;
  readonly api: {
    /** In a sentence: "the Slack Web API". */
    readonly name: string;
    /** Where it begins, below the URL of the service, if that says something: "/graphql". */
    readonly path?: string;
    /** The path of one call. */
    readonly example: string;
  };
  /**
   * Paths that the service has on the server's own root too, for clients that know nothing but a host. One that ends
   * in a slash is the beginning of several. Services may share one.
   */
  readonly roots?: readonly string[];
  readonly hosts: {
    /** It and all below it are the service's, unless another service has a name there. */
    readonly domain?: string;
    /** Those that clients use: a hosts file lists each. Of services that share one, `roots` choose by the path. */
    readonly names: readonly string[];
  };
  /** Credentials that the journal recognizes in any text, so that it doesn't store them. */
  readonly secrets: readonly Secret[];
  /** Prefixes that an environment's token may have, for clients that branch on them. */
  readonly tokenStyles: readonly string[];
  /** A pattern of what stands before the environment's token in the token of an app, if the service has such tokens. */
  readonly appTokenStyle?: string;
  /** The form of a user's token that a client may send beside a key. No key has it. */
  readonly userToken?: RegExp;
  /** The fields of a user in a seed that a shared list of people fills. */
  readonly people?: {
    readonly name: string;
    readonly title?: string;
    /** The time zone. */
    readonly zone?: string;
  };
  /** The effects of time on an environment: what each kind reports. */
  readonly effects: { readonly [kind: string]: string };
};

/**
 * `form` begins with what the secret is recognized by, so that one that is cut off at the end of a text is recognized
 * too. `hint`: a text without which there is no such secret.
 */
export type Secret = { readonly hint: string; readonly form: RegExp };
