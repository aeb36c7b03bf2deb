/** Uploads. Addresses are given; what is sent to them is not kept. */
import type { Resolver, Resolvers } from "~/graphql/attach";
import type { Context } from "~/replicas/tracker/context";
import { invalidArgument } from "~/replicas/tracker/errors";
import { newId } from "~/replicas/tracker/ids";

const HOST = "https://uploads.linear.app";
const SIZE_MAX = 100 * 1024 * 1024;

type Upload = {
  readonly contentType: string;
  readonly filename: string;
  readonly size: number;
  readonly metaData?: unknown;
};

const upload: Resolver<Context> = (
  _source,
  { contentType, filename, size, metaData }: Upload,
  { workspace },
) => {
  if (size < 0 || size > SIZE_MAX)
    throw invalidArgument("size", size, "max", `size must be from 0 to ${SIZE_MAX}`);
  const url = `${HOST}/${workspace.id}/${newId()}/${encodeURIComponent(filename)}`;
  const headers = [{ key: "Content-Type", value: contentType }];
  return {
    uploadFile: { assetUrl: url, uploadUrl: url, contentType, filename, headers, size, metaData },
  };
};

export const files: Resolvers<Context> = {
  Mutation: {
    fileUpload: upload,
    importFileUpload: upload,
    imageUploadFromUrl: (_source, { url }: { url: string }, { workspace }) => {
      if (!URL.canParse(url)) throw invalidArgument("url", url, "isUrl", "url must be an address");
      return { url: `${HOST}/${workspace.id}/${newId()}` };
    },
  },
};
