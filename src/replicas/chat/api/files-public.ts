import { Text } from "~/replicas/chat/arguments";
import { ChatError } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { isGuest, requireActor, requireFile } from "~/replicas/chat/require";
import { setPublicUrl } from "~/replicas/chat/store/files";
import { fileView } from "~/replicas/chat/views/files";

async function setPublic(call: ChatCall, id: string, isPublic: boolean) {
  await setPublicUrl(call.session, id, isPublic);
  return { file: fileView(await requireFile(call, id), call) };
}

export const filesPublic = [
  method("files.sharedPublicURL", {
    tier: 2,
    userOnly: true,
    summary: "Creates a public address for a file.",
    args: { file: Text() },
    async handle({ file: id }, call) {
      const file = await requireFile(call, id);
      const { user } = await requireActor(call);
      // Remote files and canvases have no public address, and guests may not publish files.
      if (file.mode === "external" || file.mode === "quip" || isGuest(user))
        throw new ChatError("not_allowed");
      return await setPublic(call, id, true);
    },
  }),

  method("files.revokePublicURL", {
    tier: 2,
    summary: "Removes a file's public address.",
    args: { file: Text() },
    async handle({ file: id }, call) {
      await requireFile(call, id);
      return await setPublic(call, id, false);
    },
  }),

  method("files.comments.delete", {
    tier: 2,
    summary: "Deletes a comment of a file. Files have had none since comments became threads.",
    args: { file: Text(), id: Text("Id of the comment.") },
    async handle({ file }, call) {
      await requireFile(call, file);
      throw new ChatError("cant_delete");
    },
  }),
];
