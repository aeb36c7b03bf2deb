/** Prefixes of an environment's token, for clients that branch on those of the real service's tokens. */
import { t } from "elysia";
import { ApiError } from "~/errors";
import { ABOUTS } from "~/replicas/services";

const STYLED = ABOUTS.filter(({ tokenStyles }) => tokenStyles.length > 0);
const NAMES = STYLED.map(({ service }) => service).join(" and ");

export const TokenStyle = t.Union(
  STYLED.flatMap(({ tokenStyles }) => tokenStyles.map((style) => t.Literal(style))),
  {
    description: `The prefix that \`token\` gets, for ${NAMES} clients that branch on it: of a user's token or of a bot's. The environment accepts its token with either prefix and without one`,
  },
);

/** Throws invalid_request for services whose tokens have no such prefix. */
export function requireStyle(services: readonly string[], tokenStyle: string | undefined): void {
  const styles = STYLED.filter(({ service }) => services.includes(service)).flatMap<string>(
    (about) => about.tokenStyles,
  );
  if (tokenStyle !== undefined && !styles.includes(tokenStyle))
    throw new ApiError("invalid_request", `tokenStyle: only the tokens of ${NAMES} have a prefix`);
}
