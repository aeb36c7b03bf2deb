/** The errors that the service documents for each method, and that can arise here. */
export const DOCUMENTED: Readonly<Record<string, string>> = {
  // Tier 1
  "api.test": "",
  "auth.test": "account_inactive",
  "bots.info": "bot_not_found",
  "chat.postMessage":
    "channel_not_found not_in_channel is_archived no_text msg_too_long invalid_blocks invalid_blocks_format invalid_attachments too_many_attachments markdown_text_conflict restricted_action cannot_reply_to_message thread_not_found invalid_thread_ts invalid_metadata_format metadata_too_large message_limit_exceeded",
  "chat.update":
    "message_not_found cant_update_message channel_not_found edit_window_closed no_text msg_too_long invalid_blocks invalid_attachments is_inactive markdown_text_conflict",
  "chat.delete": "message_not_found cant_delete_message channel_not_found",
  "chat.postEphemeral":
    "channel_not_found user_not_in_channel not_in_channel is_archived no_text invalid_blocks too_many_attachments msg_too_long",
  "chat.meMessage": "channel_not_found not_in_channel is_archived no_text msg_too_long",
  "chat.getPermalink": "channel_not_found message_not_found",
  "chat.scheduleMessage":
    "time_in_past time_too_far invalid_time channel_not_found not_in_channel is_archived no_text msg_too_long invalid_blocks restricted_too_many",
  "chat.deleteScheduledMessage": "invalid_scheduled_message_id channel_not_found",
  "chat.scheduledMessages.list": "invalid_channel invalid_cursor",
  "conversations.list": "invalid_types invalid_cursor invalid_limit",
  "conversations.info": "channel_not_found",
  "conversations.create":
    "name_taken invalid_name invalid_name_required invalid_name_maxlength invalid_name_punctuation invalid_name_specials no_channel restricted_action",
  "conversations.rename":
    "channel_not_found name_taken invalid_name invalid_name_required invalid_name_maxlength invalid_name_punctuation invalid_name_specials not_authorized not_in_channel is_archived method_not_supported_for_channel_type",
  "conversations.archive":
    "already_archived cant_archive_general channel_not_found not_in_channel restricted_action method_not_supported_for_channel_type",
  "conversations.unarchive": "not_archived channel_not_found method_not_supported_for_channel_type",
  "conversations.join": "channel_not_found is_archived method_not_supported_for_channel_type",
  "conversations.leave":
    "channel_not_found is_archived cant_leave_general last_member method_not_supported_for_channel_type",
  "conversations.invite":
    "channel_not_found not_in_channel is_archived already_in_channel cant_invite_self cant_invite user_not_found no_user method_not_supported_for_channel_type user_is_restricted",
  "conversations.kick":
    "channel_not_found user_not_found not_in_channel cant_kick_self cant_kick_from_general restricted_action method_not_supported_for_channel_type",
  "conversations.members": "channel_not_found invalid_cursor invalid_limit",
  "conversations.open":
    "users_list_not_supplied user_not_found not_enough_users too_many_users channel_not_found user_disabled invalid_user_combination method_not_supported_for_channel_type",
  "conversations.close": "channel_not_found method_not_supported_for_channel_type",
  "conversations.history":
    "channel_not_found not_in_channel invalid_ts_latest invalid_ts_oldest invalid_cursor",
  "conversations.replies":
    "channel_not_found thread_not_found invalid_ts_latest invalid_ts_oldest invalid_cursor",
  "conversations.mark": "channel_not_found invalid_timestamp not_in_channel",
  "conversations.setTopic":
    "channel_not_found not_in_channel is_archived too_long user_is_restricted method_not_supported_for_channel_type",
  "conversations.setPurpose":
    "channel_not_found not_in_channel is_archived too_long user_is_restricted method_not_supported_for_channel_type",
  "emoji.list": "unable_to_fetch_custom_emojis",
  "files.getUploadURLExternal":
    "missing_argument file_uploads_disabled file_type_not_allowed unknown_snippet_type alt_txt_too_large file_upload_size_restricted storage_limit_reached",
  "files.completeUploadExternal":
    "file_not_found channel_not_found not_in_channel invalid_channel channels_limit_exceeded invalid_blocks file_update_failed",
  "files.info": "file_not_found file_deleted not_visible",
  "files.list": "user_not_found unknown_type",
  "files.delete": "file_not_found file_deleted cant_delete_file",
  "pins.add":
    "already_pinned message_not_found channel_not_found no_item_specified bad_timestamp not_pinnable not_in_channel too_many_pins",
  "pins.list": "channel_not_found",
  "pins.remove": "no_pin message_not_found channel_not_found no_item_specified bad_timestamp",
  "reactions.add":
    "already_reacted invalid_name message_not_found channel_not_found no_item_specified bad_timestamp too_many_emoji too_many_reactions is_archived thread_locked not_reactable",
  "reactions.get":
    "message_not_found file_not_found no_item_specified bad_timestamp channel_not_found",
  "reactions.list": "user_not_found",
  "reactions.remove":
    "no_reaction invalid_name message_not_found channel_not_found no_item_specified bad_timestamp",
  "search.messages": "no_query not_allowed_token_type",
  "search.files": "no_query",
  "search.all": "no_query",
  "team.info": "team_not_found",
  "usergroups.list": "",
  "usergroups.users.list": "no_such_subteam",
  "users.list": "invalid_cursor limit_required",
  "users.info": "user_not_found user_not_visible",
  "users.lookupByEmail": "users_not_found",
  "users.conversations": "invalid_types invalid_cursor invalid_limit user_not_found",
  "users.getPresence": "user_not_found",
  "users.setPresence": "invalid_presence",
  "users.profile.get": "user_not_found",
  "users.profile.set":
    "invalid_profile profile_set_failed too_long not_admin reserved_name must_clear_both_status_text_and_status_emoji user_not_found",
  // Tier 2
  "auth.revoke": "",
  "auth.teams.list": "invalid_cursor invalid_limit",
  "blocks.validate": "invalid_blocks",
  "bookmarks.add":
    "channel_not_found invalid_link invalid_emoji invalid_bookmark_type invalid_entity_id permission_denied too_many_bookmarks",
  "bookmarks.edit": "channel_not_found not_found invalid_link invalid_emoji permission_denied",
  "bookmarks.list": "channel_not_found",
  "bookmarks.remove": "channel_not_found not_found permission_denied",
  "canvases.create": "canvas_creation_failed restricted_action",
  "canvases.edit": "canvas_not_found canvas_editing_failed restricted_action",
  "canvases.delete": "canvas_not_found restricted_action",
  "canvases.access.set": "canvas_not_found channel_not_found user_not_found invalid_parameters",
  "canvases.access.delete": "canvas_not_found channel_not_found user_not_found invalid_parameters",
  "canvases.sections.lookup": "canvas_not_found canvas_deleted",
  "conversations.canvases.create": "channel_canvas_already_exists canvas_creation_failed",
  "chat.startStream":
    "channel_not_found not_in_channel missing_recipient_user_id missing_recipient_team_id invalid_chunks no_text user_not_found",
  "chat.appendStream":
    "message_not_found message_not_in_streaming_state message_not_owned_by_app invalid_chunks no_text",
  "chat.stopStream":
    "message_not_found message_not_in_streaming_state message_not_owned_by_app invalid_blocks",
  "chat.unfurl":
    "cannot_find_channel cannot_find_message cannot_unfurl_url invalid_unfurls_format missing_unfurls missing_channel missing_ts",
  "dnd.info": "user_not_found",
  "dnd.setSnooze": "missing_duration too_long snooze_failed",
  "dnd.endSnooze": "snooze_not_active snooze_end_failed",
  "dnd.endDnd": "not_in_dnd",
  "dnd.teamInfo": "no_users_provided",
  "files.sharedPublicURL": "file_not_found not_allowed",
  "files.revokePublicURL": "file_not_found",
  "files.comments.delete": "file_not_found cant_delete",
  "reminders.add": "cannot_parse user_not_found cannot_add_bot cannot_add_others missing_argument",
  "reminders.complete": "not_found cannot_complete_recurring cannot_complete_others",
  "reminders.delete": "not_found",
  "reminders.info": "not_found",
  "reminders.list": "",
  "stars.add":
    "already_starred message_not_found channel_not_found file_not_found no_item_specified bad_timestamp",
  "stars.list": "",
  "stars.remove": "not_starred message_not_found channel_not_found no_item_specified",
  "team.profile.get": "",
  "team.preferences.list": "",
  "usergroups.create":
    "name_already_exists handle_already_exists missing_argument name_too_long bad_handle permission_denied",
  "usergroups.update":
    "no_such_subteam name_already_exists handle_already_exists permission_denied too_many_linked_channels missing_argument",
  "usergroups.enable": "no_such_subteam already_enabled permission_denied",
  "usergroups.disable": "no_such_subteam already_disabled permission_denied",
  "usergroups.users.update": "no_users_provided invalid_users no_such_subteam permission_denied",
  "users.identity": "",
  "users.setPhoto": "bad_image too_large",
  "users.deletePhoto": "",
  "views.publish":
    "hash_conflict view_too_large duplicate_external_id not_enabled invalid_arguments user_not_found",
  "views.open":
    "invalid_trigger_id expired_trigger_id exchanged_trigger_id view_too_large invalid_arguments duplicate_external_id",
  "views.push": "invalid_trigger_id push_limit_reached not_found",
  "views.update": "not_found hash_conflict duplicate_external_id",
  "assistant.threads.setStatus": "channel_not_found invalid_thread_ts",
  "assistant.threads.setTitle": "channel_not_found invalid_thread_ts",
  "assistant.threads.setSuggestedPrompts": "channel_not_found invalid_thread_ts",
};
