import type { UsergroupRow } from "~/replicas/chat/store/usergroups";
import { present, type Wire } from "~/replicas/chat/views/wire";

export const usergroupView = (
  group: UsergroupRow,
  shown: { count?: boolean | undefined; users?: boolean | undefined } = {},
): Wire =>
  present({
    id: group.id,
    team_id: group.team_id,
    is_usergroup: true,
    is_subteam: true,
    name: group.name,
    description: group.description,
    handle: group.handle,
    is_external: false,
    date_create: group.date_create,
    date_update: group.date_update,
    date_delete: group.date_delete,
    auto_type: "",
    auto_provision: false,
    enterprise_subteam_id: "",
    created_by: group.created_by,
    updated_by: group.updated_by,
    deleted_by: group.deleted_by ?? "",
    prefs: group.prefs,
    channel_count: group.prefs.channels.length + group.prefs.groups.length,
    user_count: shown.count ? group.users.length : null,
    users: shown.users ? group.users : null,
  });
