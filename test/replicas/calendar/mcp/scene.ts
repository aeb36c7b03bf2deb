/** The tools of calendars of calendar_default. */
import { jsonTools } from "../../../support/mcp";
import { useScene } from "../scene";

export function useCalendarTools() {
  const scene = useScene();
  return { ...scene, ...jsonTools(scene.program) };
}
