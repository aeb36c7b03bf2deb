/** Uploads: a signed address of this server for the upload, and the address for downloads. */

import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { requireUrl } from "~/replicas/tracker/api/webhook";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument, notEnabled } from "~/replicas/tracker/errors";
import { newId } from "~/replicas/tracker/ids";
import { insertUpload } from "~/replicas/tracker/store/uploads";
import { assetPath, uploadPath } from "~/replicas/tracker/transfers";
import { hexOf } from "~/source";

/** The largest request body, in bytes. */
const SIZE_MAX = 4 * 1024 * 1024;

type Upload = {
  readonly contentType: string;
  readonly filename: string;
  readonly size: number;
  readonly metaData?: unknown;
};

const upload: Resolver<Context> = async (_source, args: Upload, context) => {
  const { contentType, filename, size, metaData } = args;
  if (filename.trim() === "")
    throw invalidArgument("filename", filename, "isNotEmpty", "filename should not be empty");
  if (!/^[\w.+-]+\/[\w.+-]+/.test(contentType))
    throw invalidArgument(
      "contentType",
      contentType,
      "isMimeType",
      "contentType must be a MIME type",
    );
  if (size < 1 || size > SIZE_MAX)
    throw invalidArgument("size", size, "max", `size must be from 1 to ${SIZE_MAX}`);
  const { baseUrl, now, session, viewer } = context;
  const [id, signature] = [newId(session), hexOf(session.source, 16)];
  await insertUpload(session, {
    id,
    createdAt: now,
    creatorId: viewer.id,
    filename,
    contentType,
    size,
    signature,
  });
  // The service leaves this one to the client. Here those that forget it, or set it too, can upload.
  const headers = [
    { key: "Content-Type", value: contentType },
    { key: "x-goog-content-length-range", value: `${size},${size}` },
    { key: "Content-Disposition", value: `attachment; filename="${encodeURIComponent(filename)}"` },
  ];
  return {
    uploadFile: {
      assetUrl: `${baseUrl}/${assetPath(id)}`,
      uploadUrl: `${baseUrl}/${uploadPath(id, signature)}`,
      contentType,
      filename,
      size,
      metaData: metaData ?? null,
      headers,
    },
  };
};

export const files: Resolvers<Context> = {
  Mutation: {
    fileUpload: upload,
    importFileUpload: upload,
    imageUploadFromUrl: (_source, { url }: { url: string }) => {
      requireUrl("url", url);
      throw notEnabled("Images are not fetched from other hosts");
    },
  },
};
