import { createHash } from "node:crypto";
import { Bytes, Maybe, Whole } from "~/replicas/chat/arguments";
import { ChatError, invalidArguments } from "~/replicas/chat/errors";
import { method } from "~/replicas/chat/method";
import { isPicture } from "~/replicas/chat/pictures";
import { requireActor } from "~/replicas/chat/require";
import { updateUser } from "~/replicas/chat/store/users";
import { profileView } from "~/replicas/chat/views/users";
import type { Wire } from "~/replicas/chat/views/wire";

const PHOTO_BYTES_MAX = 1024 * 1024;

const imagesOf = (profile: Wire): Wire =>
  Object.fromEntries(Object.entries(profile).filter(([field]) => field.startsWith("image_")));

export const usersPhoto = [
  method("users.identity", {
    tier: 2,
    userOnly: true,
    summary: "Returns the caller's identity, as a sign-in does.",
    args: {},
    async handle(_, call) {
      const { user, team } = await requireActor(call);
      const profile = profileView(user);
      return {
        user: {
          id: user.id,
          name: user.real_name,
          email: profile["email"],
          ...imagesOf(profile),
        },
        team: { id: team.id, name: team.name },
      };
    },
  }),

  method("users.setPhoto", {
    tier: 2,
    userOnly: true,
    summary: "Sets the caller's picture.",
    limits: "The addresses change, but do not serve the picture.",
    args: {
      image: Bytes("PNG, JPEG or GIF of at most 1 MiB."),
      crop_x: Maybe(Whole()),
      crop_y: Maybe(Whole()),
      crop_w: Maybe(Whole("Size of the cropped square.")),
    },
    async handle({ image, crop_x: x = 0, crop_y: y = 0, crop_w: width }, call) {
      const { user } = await requireActor(call);
      if (image.byteLength > PHOTO_BYTES_MAX) throw new ChatError("too_large");
      if (!isPicture(image)) throw new ChatError("bad_image");
      if (x < 0 || y < 0 || (width !== undefined && width < 1))
        throw invalidArguments("must be a valid square [json-pointer:/crop_w]");
      const hash = createHash("sha1").update(image).update(`${x} ${y} ${width}`).digest("hex");
      const profile = { ...user.profile, avatar_hash: hash.slice(0, 12), is_custom_image: true };
      await updateUser(call.session, user.id, { profile });
      const images = imagesOf(profileView({ ...user, profile }));
      return { profile: { avatar_hash: profile.avatar_hash, ...images } };
    },
  }),

  method("users.deletePhoto", {
    tier: 2,
    userOnly: true,
    summary: "Resets the caller's picture to the default.",
    args: {},
    async handle(_, call) {
      const { user } = await requireActor(call);
      const { is_custom_image: isCustom, ...rest } = user.profile;
      if (!isCustom) return {};
      const profile = { ...rest, avatar_hash: `g${user.id.toLowerCase()}` };
      await updateUser(call.session, user.id, { profile });
      return {};
    },
  }),
];
