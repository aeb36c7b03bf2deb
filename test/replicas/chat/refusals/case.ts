/** How a call comes to be refused, as data: what to call it with, after what. */
import type { Scene } from "../scene";

type Args = Readonly<Record<string, unknown>>;
export type Case = Args | ((scene: Scene) => Args | Promise<Args>);
/** By method and by the code that it answers. */
export type Refusals = Readonly<Record<string, Readonly<Record<string, Case>>>>;

/** The arguments of a call by somebody else than the agent. */
export const by = (user: string, args: Args): Args => ({ ...args, token: `xoxp-${user}` });
