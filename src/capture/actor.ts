/** Who changes an environment besides the agent. */

export const ACTORS = ["clock", "counterpart"] as const;
/** `clock`: that of the environment. `counterpart`: a simulated colleague, who acts by rules. */
export type Actor = (typeof ACTORS)[number];
