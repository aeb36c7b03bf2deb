/** Uploads: where a file would go. Nothing is kept, and the addresses lead nowhere. */
import type { Resolver, Resolvers } from "~/graphql/resolvers";
import { requireUrl } from "~/replicas/tracker/api/webhook";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { newId } from "~/replicas/tracker/ids";

const HOST = "https://uploads.linear.app";
const SIZE_MAX = 1024 ** 3;

type Upload = {
  readonly contentType: string;
  readonly filename: string;
  readonly size: number;
  readonly metaData?: unknown;
};

const assetUrl = ({ workspace }: Context) => [HOST, workspace.id, newId(), newId()].join("/");

const upload: Resolver<Context> = (_source, args: Upload, context) => {
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
  const url = assetUrl(context);
  const headers = [
    { key: "Content-Type", value: contentType },
    { key: "Cache-Control", value: "public, max-age=31536000" },
    { key: "Content-Disposition", value: `attachment; filename="${encodeURIComponent(filename)}"` },
  ];
  return {
    uploadFile: {
      assetUrl: url,
      uploadUrl: `${url}/${encodeURIComponent(filename)}?signature=${newId()}`,
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
    imageUploadFromUrl: (_source, { url }: { url: string }, context) => {
      requireUrl("url", url);
      return { url: assetUrl(context) };
    },
  },
};
