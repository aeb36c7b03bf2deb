import { createHash } from "node:crypto";
import { Bytes, Flag, Json, Maybe, Text, Whole } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { type ChatCall, method } from "~/replicas/chat/method";
import { changeProfile } from "~/replicas/chat/profile";
import { requirePerson, requireUser } from "~/replicas/chat/require";
import { findTeam } from "~/replicas/chat/store/team";
import { findUserByEmail, type UserRow, updateUser } from "~/replicas/chat/store/users";
import { profileView } from "~/replicas/chat/views/users";
import type { Wire } from "~/replicas/chat/views/wire";

const PHOTO_BYTES_MAX = 1024 * 1024;
/** How PNG, JPEG and GIF begin. */
const PICTURES = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
];

/** Whose profile is to change. Throws `not_admin` unless it is the caller's, or the caller may. */
async function requireChangeable(call: ChatCall, id: string | undefined): Promise<UserRow> {
  const { user: actor } = await requirePerson(call);
  if (!id || id === actor.id) return actor;
  const user = await requireUser(call, id);
  if (!actor.is_admin) throw new ChatError("not_admin");
  return user;
}

/** Each custom field under the name that the workspace gave it. */
async function withLabels(call: ChatCall, profile: Wire): Promise<Wire> {
  const { profile: definitions } = await findTeam(call.session);
  const labels = new Map(definitions.fields.map((field) => [field["id"], field["label"]]));
  const fields = Object.entries((profile["fields"] ?? {}) as Record<string, object>);
  return {
    ...profile,
    fields: Object.fromEntries(
      fields.map(([id, field]) => [id, { ...field, label: labels.get(id) ?? "" }]),
    ),
  };
}

export const usersProfile = [
  method("users.profile.get", {
    tier: 1,
    summary: "Shows a profile.",
    args: {
      user: Maybe(Text("Whose; the caller's when left out.")),
      include_labels: Maybe(Flag("Add the names of custom fields.")),
    },
    async handle({ user: id, include_labels: labelled }, call) {
      const profile = profileView(await requireUser(call, id || call.actor));
      return { profile: labelled ? await withLabels(call, profile) : profile };
    },
  }),

  method("users.profile.set", {
    tier: 1,
    summary: "Changes a profile: several fields at once, or one by name and value.",
    args: {
      user: Maybe(Text("Whose, for administrators; the caller's when left out.")),
      profile: Maybe(Json<unknown>("invalid_profile", "The fields that change.")),
      name: Maybe(Text("One field, when there is no profile.")),
      value: Maybe(Text("Its value.")),
    },
    async handle({ user: id, profile: given, name, value }, call) {
      const user = await requireChangeable(call, id);
      if (given === undefined && !name) throw new ChatError("invalid_profile");
      const change = given ?? { [name ?? ""]: value ?? "" };
      const profile = changeProfile(user.profile, change, await findTeam(call.session));
      const email = String(profile["email"] ?? "");
      if (email && email !== user.profile["email"]) {
        const other = await findUserByEmail(call.session, email);
        if (other && other.id !== user.id) throw new ChatError("email_taken");
      }
      const realName = String(profile["real_name"] ?? user.real_name);
      await updateUser(call.session, user.id, { profile, real_name: realName });
      const changed = await requireUser(call, user.id);
      return { profile: profileView(changed), username: changed.name };
    },
  }),

  method("users.identity", {
    tier: 2,
    summary: "Tells who the caller is, as a sign-in does.",
    args: {},
    async handle(_, call) {
      const { user, team } = await requirePerson(call);
      const profile = profileView(user);
      const images = Object.entries(profile).filter(([field]) => field.startsWith("image_"));
      return {
        user: {
          id: user.id,
          name: user.real_name,
          email: profile["email"],
          ...Object.fromEntries(images),
        },
        team: { id: team.id, name: team.name, domain: team.domain },
      };
    },
  }),

  method("users.setPhoto", {
    tier: 2,
    summary: "Gives the caller another picture.",
    limits: "The picture gets new addresses, but is not served from them.",
    args: {
      image: Bytes("PNG, JPEG or GIF of at most 1 MiB."),
      crop_x: Maybe(Whole()),
      crop_y: Maybe(Whole()),
      crop_w: Maybe(Whole("Size of the square that is cut out.")),
    },
    async handle({ image, crop_x: x = 0, crop_y: y = 0, crop_w: width }, call) {
      const { user } = await requirePerson(call);
      if (image.byteLength > PHOTO_BYTES_MAX) throw new ChatError("too_large");
      if (!PICTURES.some((begin) => begin.every((byte, place) => image[place] === byte)))
        throw new ChatError("bad_image");
      if (x < 0 || y < 0 || (width !== undefined && width < 1))
        throw invalidArguments("must be a valid square [json-pointer:/crop_w]");
      const hash = createHash("sha1").update(image).update(`${x} ${y} ${width}`).digest("hex");
      const profile = { ...user.profile, avatar_hash: hash.slice(0, 12), is_custom_image: true };
      await updateUser(call.session, user.id, { profile });
      const { avatar_hash: avatarHash, ...shown } = profileView({ ...user, profile });
      const images = Object.entries(shown).filter(([field]) => field.startsWith("image_"));
      return { profile: { avatar_hash: avatarHash, ...Object.fromEntries(images) } };
    },
  }),

  method("users.deletePhoto", {
    tier: 2,
    summary: "Gives the caller the picture back that everybody begins with.",
    args: {},
    async handle(_, call) {
      const { user } = await requirePerson(call);
      const { is_custom_image: isCustom, ...rest } = user.profile;
      if (!isCustom) return {};
      const profile = { ...rest, avatar_hash: `g${user.id.toLowerCase()}` };
      await updateUser(call.session, user.id, { profile });
      return {};
    },
  }),
];
