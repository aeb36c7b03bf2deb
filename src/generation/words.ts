/** Words of generated companies. Nobody real is meant; every domain ends in `.test`. */

export const FIRST_NAMES =
  "Ada Alma Amir Anouk Arne Bela Bruno Carla Cem Chiara Dario Edda Elif Emil Enzo Farah Felix Freya Gaia Hanna Hugo Ida Ines Ivo Jana Joris Jule Kaan Karim Kira Lara Leo Lena Lio Luca Mara Marek Maya Mila Milan Mina Nadia Nico Noah Nora Olek Pia Rafa Remy Rosa Samir Sara Selma Stan Tara Theo Tilda Timo Uma Vera Viktor Yara Yuki Zoe".split(
    " ",
  );

export const LAST_NAMES =
  "Abel Adler Arnaud Aydin Bakker Baum Becker Berg Blanc Brandt Braun Cohen Costa Dahl Demir Dubois Engel Falk Ferri Fischer Frank Garcia Haas Hahn Hansen Horn Ito Jansen Kaya Keller Klein Kovac Krause Lang Lehmann Lindt Lopez Maier Marin Meyer Moser Nagy Novak Olsen Park Petit Pohl Rossi Roth Sato Schmid Silva Sommer Stein Tanaka Vogel Weber Winter Wolf Yilmaz".split(
    " ",
  );

export const ZONES = [
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/Los_Angeles",
  "Asia/Tokyo",
] as const;

export const COMPANIES =
  "Alder Basalt Birch Cobalt Copper Delta Ember Fjord Granite Harbor Indigo Juniper Lumen Maple Nimbus Onyx Pine Quartz Raven Slate Tundra Umber Vale Willow".split(
    " ",
  );
export const TRADES = ["Foods", "Freight", "Labs", "Logistics", "Retail", "Tools"] as const;

export const TEAMS = [
  { key: "WEB", name: "Web", about: "What customers see" },
  { key: "API", name: "Interfaces", about: "What customers' programs call" },
  { key: "OPS", name: "Operations", about: "What has to run at night" },
  { key: "DAT", name: "Data", about: "What is counted, and for whom" },
] as const;

export const ROLES = [
  "Engineer",
  "Designer",
  "Product manager",
  "Analyst",
  "Support",
  "Sales",
] as const;

export const PARTS = [
  "the login",
  "the export",
  "the invoice",
  "the search",
  "the calendar feed",
  "the price list",
  "the report",
  "the importer",
  "the gateway",
  "the mailer",
  "the archive",
  "the map",
] as const;
export const FLAWS = [
  "is slow",
  "shows old data",
  "fails for long names",
  "loses the last line",
  "does not fit on a phone",
  "is empty after midnight",
  "counts some rows twice",
  "asks for the password again",
] as const;
export const WISHES = [
  "needs a filter",
  "needs a preview",
  "should be undone with one click",
  "should say who changed it",
  "should work without a network",
  "needs a test with real data",
] as const;
export const CAUSES = [
  "a certificate had expired",
  "a disk was full",
  "a setting was missing after a deploy",
  "a query ran without an index",
  "a provider was down",
] as const;
/** Questions about a part, and two answers. */
export const QUESTIONS = [
  ["how often {part} tries again", "three times", "once"],
  ["how long the log of {part} is kept", "for 30 days", "for 90 days"],
  ["who may change {part}", "two reviewers", "everybody"],
  ["when {part} is rebuilt", "in summer", "next year"],
  ["where {part} is tested", "with real data", "with made-up data"],
  ["what {part} does with empty rows", "it skips them", "it stops"],
] as const;
export const SMALL_TALK = [
  "Coffee is ready.",
  "Who has the key to the small room?",
  "Good morning from a train without a network.",
  "The printer works again. Nobody knows why.",
  "Lunch at noon?",
  "The plants have been watered.",
] as const;
