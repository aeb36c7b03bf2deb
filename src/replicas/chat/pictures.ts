/** The first bytes of PNG, JPEG and GIF. */
const BEGINNINGS = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
];

/** Recognized by the first bytes. */
export const isPicture = (bytes: Uint8Array) =>
  BEGINNINGS.some((begin) => begin.every((byte, place) => bytes[place] === byte));
