/** Components whose script is loaded when they are first shown. */
import type { ComponentType } from "preact";
import { useLoad } from "~/console/loading";
import { Ready } from "~/console/parts/basics";

/** `load` imports the component. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let Component: ComponentType<Props> | undefined;
  const read = async () => {
    try {
      Component = await load();
    } catch (cause) {
      throw new Error("This part of the console could not be loaded.", { cause });
    }
    return null;
  };
  return function Lazy(props: Props) {
    const loaded = useLoad(read, []);
    if (Component) return <Component {...props} />;
    // A script that is missing belongs to an older version of the server; a browser does not ask for it again.
    return <Ready of={{ ...loaded, reload: () => location.reload() }}>{() => null}</Ready>;
  };
}
