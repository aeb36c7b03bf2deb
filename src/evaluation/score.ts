/** `part` of `whole` in percent, rounded to two digits. */
export const percentOf = (part: number, whole: number) => Math.round((10_000 * part) / whole) / 100;
