import { Choice, Maybe } from "~/replicas/chat/arguments";
import { method } from "~/replicas/chat/method";
import { findTeam } from "~/replicas/chat/store/team";

export const teamSettings = [
  method("team.profile.get", {
    tier: 2,
    summary: "Lists the custom fields of profiles.",
    args: { visibility: Maybe(Choice("all", "visible", "hidden")) },
    async handle({ visibility = "all" }, { session }) {
      const { fields, sections } = (await findTeam(session)).profile;
      const shown = fields.filter(
        (field) =>
          visibility === "all" || (field["is_hidden"] === true) === (visibility === "hidden"),
      );
      return { profile: { fields: shown, sections } };
    },
  }),

  method("team.preferences.list", {
    tier: 2,
    summary: "Lists the workspace's preferences.",
    args: {},
    async handle(_, { session }) {
      const team = await findTeam(session);
      return {
        allow_message_deletion: team.allow_message_deletion,
        display_real_names: team.display_real_names,
        disable_file_uploads: team.disable_file_uploads,
        msg_edit_window_mins: team.msg_edit_window_mins,
        who_can_post_general: team.who_can_post_general,
      };
    },
  }),
];
