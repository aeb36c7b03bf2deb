import type { ChannelRow } from "~/replicas/chat/store/channels";
import { present, type Wire } from "~/replicas/chat/views/wire";

/** Of every channel: the service documents these two. */
const TABS = ["files", "bookmarks"].map((type) => ({ id: type, label: "", type }));

export const propertiesView = (
  channel: ChannelRow,
  canvas: { readonly file_id: string; readonly is_empty: boolean } | undefined,
): Wire => present({ tabs: channel.is_im || channel.is_mpim ? null : TABS, canvas });

export function channelView(channel: ChannelRow): Wire {
  if (channel.is_im)
    return present({
      id: channel.id,
      created: channel.created,
      is_im: true,
      is_org_shared: false,
      is_archived: channel.is_archived,
      context_team_id: channel.team_id,
      updated: Number(channel.updated),
      user: channel.other_user,
      is_user_deleted: channel.other_deleted ?? false,
      priority: 0,
      is_open: channel.is_open,
      last_read: channel.last_read,
    });
  return present({
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.is_channel,
    is_group: channel.is_group,
    is_im: false,
    is_mpim: channel.is_mpim,
    is_private: channel.is_private,
    is_archived: channel.is_archived,
    is_general: channel.is_general,
    created: channel.created,
    creator: channel.creator,
    is_member: channel.is_member,
    is_shared: false,
    is_ext_shared: false,
    is_org_shared: false,
    is_pending_ext_shared: false,
    pending_shared: [],
    pending_connected_team_ids: [],
    shared_team_ids: [channel.team_id],
    internal_team_ids: [],
    context_team_id: channel.team_id,
    unlinked: 0,
    updated: Number(channel.updated),
    topic: channel.topic,
    purpose: channel.purpose,
    previous_names: channel.previous_names,
    num_members: channel.num_members,
    is_open: channel.is_mpim ? channel.is_open : null,
    priority: 0,
  });
}
