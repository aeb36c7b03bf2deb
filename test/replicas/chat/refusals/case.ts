/** Rejected calls as data: their preparation and arguments. */
import type { Scene } from "../scene";

type Args = Readonly<Record<string, unknown>>;
export type Case = Args | ((scene: Scene) => Args | Promise<Args>);
/** By method and error code. */
export type Refusals = Readonly<Record<string, Readonly<Record<string, Case>>>>;

/** The arguments of a call by another user than the agent. */
export const by = (user: string, args: Args): Args => ({ ...args, token: `xoxp-${user}` });
