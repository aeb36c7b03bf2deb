/** `BookLabel` and `bookLabel` → `book label`. */
export const words = (name: string) =>
  name.replace(/(?!^)([A-Z])/g, (_, letter: string) => ` ${letter}`).toLowerCase();
