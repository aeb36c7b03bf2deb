/** Icons by their names in Lucide, as elements: the build takes only those that are named here. */
import {
  Book,
  Bookmark,
  Box,
  Check,
  ChevronLeft,
  ChevronRight,
  Code,
  Copy,
  Ellipsis,
  Hash,
  Keyboard,
  Layers,
  LayoutDashboard,
  ListChecks,
  Lock,
  Menu,
  Paperclip,
  Play,
  Shapes,
  SquareTerminal,
  User,
  Users,
  X,
} from "lucide";
import { h } from "preact";

const ICONS = {
  book: Book,
  bookmark: Bookmark,
  box: Box,
  check: Check,
  code: Code,
  copy: Copy,
  ellipsis: Ellipsis,
  hash: Hash,
  keyboard: Keyboard,
  layers: Layers,
  left: ChevronLeft,
  dashboard: LayoutDashboard,
  list: ListChecks,
  lock: Lock,
  menu: Menu,
  paperclip: Paperclip,
  play: Play,
  mark: Shapes,
  right: ChevronRight,
  terminal: SquareTerminal,
  user: User,
  users: Users,
  x: X,
};

export type IconName = keyof typeof ICONS;

/** Stands beside words that say the same; a button with nothing else has a label of its own. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {ICONS[name].map(([tag, attributes], index) => h(tag, { key: index, ...attributes }))}
    </svg>
  );
}
