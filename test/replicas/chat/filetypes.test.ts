/** Files have a type, a MIME type and a name of the type that people read. */
import { expect, test } from "bun:test";
import { findType, typeOfName } from "~/replicas/chat/filetypes";

const EXTENSIONS =
  "txt log md markdown csv tsv json yaml yml xml html htm css js mjs cjs ts tsx py rb go rs java kt swift c h cpp cc hpp php sh bash sql diff patch png jpg jpeg gif webp svg pdf docx xlsx pptx zip gz tgz tar mp3 mp4 ics eml";

test.each(EXTENSIONS.split(" "))("a file .%s has a type", (extension) => {
  const type = typeOfName(`a.${extension}`);

  expect(type).toEqual({
    filetype: expect.stringMatching(/^(?!binary)[a-z0-9]+$/),
    mimetype: expect.stringMatching(/^[a-z]+\/[\w.+-]+$/),
    prettyType: expect.stringMatching(/^[A-Z]\S*/),
  });
  expect(typeOfName(`archive.tar.${extension.toUpperCase()}`)).toEqual(type);
  expect(findType(type.filetype)).toEqual(type);
});

test.each(["a", "a.unknown", ".", "png", ""])("a file named %j is binary", (name) => {
  expect(typeOfName(name)).toMatchObject({
    filetype: "binary",
    mimetype: "application/octet-stream",
  });
});
