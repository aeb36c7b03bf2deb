/** The colours of labels that tools name. All codes are of the palette. */

type Color = { readonly backgroundColor: string; readonly textColor: string };

const white = (backgroundColor: string): Color => ({ backgroundColor, textColor: "#ffffff" });
const black = (backgroundColor: string): Color => ({ backgroundColor, textColor: "#000000" });

export const COLORS: { readonly [preset: string]: Color } = {
  LABEL_COLOR_PRESET_BLACK: white("#000000"),
  LABEL_COLOR_PRESET_DARK_GRAY: white("#434343"),
  LABEL_COLOR_PRESET_GRAY: white("#666666"),
  LABEL_COLOR_PRESET_LIGHT_GRAY: black("#cccccc"),
  LABEL_COLOR_PRESET_WHITE: black("#ffffff"),
  LABEL_COLOR_PRESET_RED: white("#fb4c2f"),
  LABEL_COLOR_PRESET_ORANGE: black("#ffad47"),
  LABEL_COLOR_PRESET_YELLOW: black("#fad165"),
  LABEL_COLOR_PRESET_GREEN: white("#16a765"),
  LABEL_COLOR_PRESET_MINT: black("#43d692"),
  LABEL_COLOR_PRESET_TEAL: white("#2da2bb"),
  LABEL_COLOR_PRESET_BLUE: white("#4a86e8"),
  LABEL_COLOR_PRESET_PURPLE: white("#a479e2"),
  LABEL_COLOR_PRESET_PINK: black("#f691b2"),
  LABEL_COLOR_PRESET_DARK_RED: white("#822111"),
  LABEL_COLOR_PRESET_DARK_ORANGE: white("#a46a21"),
  LABEL_COLOR_PRESET_DARK_GREEN: white("#076239"),
  LABEL_COLOR_PRESET_DARK_BLUE: white("#1c4587"),
  LABEL_COLOR_PRESET_DARK_PURPLE: white("#41236d"),
  LABEL_COLOR_PRESET_DARK_PINK: white("#83334c"),
  LABEL_COLOR_PRESET_BROWN: white("#7a4706"),
};
