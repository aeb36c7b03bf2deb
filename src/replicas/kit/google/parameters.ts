/** Query parameters of every call of Google's APIs. */
import { Type } from "@sinclair/typebox";

const text = (description: string) => Type.Optional(Type.String({ description }));

export const COMMON = {
  alt: Type.Optional(
    Type.Union([Type.Literal("json"), Type.Literal("media"), Type.Literal("proto")], {
      description: "The form of the answer: always JSON",
    }),
  ),
  fields: text("The fields of the answer: `id,payload/headers`"),
  prettyPrint: Type.Optional(Type.Boolean({ description: "Indent the answer", default: true })),
  key: text("Ignored"),
  access_token: text("Ignored"),
  oauth_token: text("Ignored"),
  callback: text("Ignored"),
  quotaUser: text("Ignored"),
  uploadType: Type.Optional(
    Type.Union([Type.Literal("media"), Type.Literal("multipart")], {
      description: "How a message is uploaded, in one request",
    }),
  ),
  upload_protocol: text("Ignored"),
  "$.xgafv": text("Ignored"),
  userIp: text("Ignored"),
};
