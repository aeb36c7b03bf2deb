import type { TeamRow } from "~/replicas/chat/store/team";
import type { Wire } from "~/replicas/chat/views/wire";

const ICON_SIZES = [34, 44, 68, 88, 102, 132, 230] as const;

export const teamIcon = ({ url, id }: TeamRow): Wire => ({
  ...Object.fromEntries(
    ICON_SIZES.map((size) => [`image_${size}`, `${url}icons/${id}_${size}.png`]),
  ),
  image_original: `${url}icons/${id}_original.png`,
  image_default: true,
});

export const teamView = (team: TeamRow): Wire => ({
  id: team.id,
  name: team.name,
  url: team.url,
  domain: team.domain,
  email_domain: team.email_domain,
  icon: teamIcon(team),
  avatar_base_url: `${team.url}avatars/`,
  is_verified: false,
});
