/** Composable validation rules. They find every mistake, each with a JSON pointer. */
import { isObject } from "~/input/json";

export type Problem = { readonly what: string; readonly pointer: string };
export type Rule = (value: unknown, pointer: string, problems: Problem[]) => void;
export type Fields = Readonly<Record<string, Rule>>;
export type Item = Readonly<Record<string, unknown>>;

/** Further mistakes are not reported. */
const PROBLEMS_MAX = 100;

export const add = (problems: Problem[], what: string, pointer: string) => {
  if (problems.length < PROBLEMS_MAX) problems.push({ what, pointer });
};

export const string =
  (max: number, min = 0): Rule =>
  (value, pointer, problems) => {
    if (typeof value !== "string") add(problems, "must be a string", pointer);
    else if (value.length > max) add(problems, `must be less than ${max + 1} characters`, pointer);
    else if (value.length < min) add(problems, `must be more than ${min - 1} characters`, pointer);
  };

export const flag: Rule = (value, pointer, problems) => {
  if (typeof value !== "boolean") add(problems, "must be a boolean", pointer);
};

export const number: Rule = (value, pointer, problems) => {
  if (!Number.isFinite(Number(value)) || value === null) add(problems, "must be a number", pointer);
};

export const choice =
  (...choices: readonly string[]): Rule =>
  (value, pointer, problems) => {
    if (!choices.includes(value as string)) add(problems, "must be a valid enum value", pointer);
  };

export const list =
  (rule: Rule, max: number, min = 1): Rule =>
  (value, pointer, problems) => {
    if (!Array.isArray(value)) {
      add(problems, "must be an array", pointer);
      return;
    }
    if (value.length > max) {
      add(problems, `no more than ${max} items allowed`, pointer);
      return;
    }
    if (value.length < min) add(problems, `no less than ${min} items allowed`, pointer);
    for (const [index, item] of value.entries()) rule(item, `${pointer}/${index}`, problems);
  };

/** An object with these fields; a name that ends in `?` may be missing. Additional fields are allowed. */
export const object =
  (fields: Fields): Rule =>
  (value, pointer, problems) => {
    if (!isObject(value)) {
      add(problems, "must be an object", pointer);
      return;
    }
    for (const [key, rule] of Object.entries(fields)) {
      const name = key.replace(/\?$/, "");
      if (value[name] !== undefined && value[name] !== null)
        rule(value[name], `${pointer}/${name}`, problems);
      else if (name === key) add(problems, `missing required field: ${name}`, pointer);
    }
  };

/** An object whose `type` selects the rule. */
export const byType =
  (what: string, rules: Readonly<Record<string, Rule>>): Rule =>
  (value, pointer, problems) => {
    if (!isObject(value)) {
      add(problems, "must be an object", pointer);
      return;
    }
    const type = value["type"];
    const rule = typeof type === "string" && Object.hasOwn(rules, type) ? rules[type] : undefined;
    if (rule) rule(value, pointer, problems);
    else
      add(
        problems,
        `unsupported type: ${typeof type === "string" ? type.slice(0, 60) : what}`,
        `${pointer}/type`,
      );
  };

export const all =
  (...rules: readonly Rule[]): Rule =>
  (value, pointer, problems) => {
    for (const rule of rules) rule(value, pointer, problems);
  };

export const oneOf =
  (...names: readonly string[]): Rule =>
  (value, pointer, problems) => {
    if (isObject(value) && !names.some((name) => value[name] !== undefined))
      add(problems, `must provide at least one of: ${names.join(", ")}`, pointer);
  };

export const anything: Rule = () => {};
