/** All that the console has for one service, beside its rows and its world. */
import type { ComponentType } from "preact";
import type { EnvironmentDetail } from "~/clients/typescript/schema";
import type { Form } from "~/console/calls";
import type { PlaceProps } from "~/console/parts/place";
import type { ServiceEnvironment } from "~/console/services/member";
import type { Snippets, Target } from "~/console/snippets";

/** Of the view of an environment. It reads all that it shows of its service itself, and nothing of other services. */
export type WorldProps = { readonly environment: ServiceEnvironment };

type Query = Readonly<Record<string, string>>;

export type ConsoleService = {
  /** A place that a run touched, with its rows. */
  readonly Place: ComponentType<PlaceProps>;
  /** Fields of an environment's address that its view keeps there. */
  readonly fields: readonly string[];
  /** Those that show a row; undefined if it has no view of its own. */
  readonly queryOf: (row: { readonly table: string; readonly id: string }) => Query | undefined;
  /** Code that calls the service, by the name of the language or client. The first is shown first. */
  readonly snippets: (target: Target) => Snippets;
  /** Ways to call the service by a form, beside its tools. `subject`: an id for the examples. */
  readonly forms: Readonly<
    Record<string, (environment: EnvironmentDetail, subject: string) => Promise<Form>>
  >;
};
