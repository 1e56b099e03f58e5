import * as shapes from "lucide";
import { createElement, type ReactElement } from "react";

interface IconProps {
  readonly className?: string;
  /** Icons stand beside text, or in a button with a label. */
  readonly "aria-hidden": true;
}

export type Icon = (props: IconProps) => ReactElement;

/** A component with this shape. The package of React components with the same shapes is half as large again. */
function createIcon(shape: typeof shapes.X): Icon {
  return ({ className = "", ...rest }) =>
    createElement(
      "svg",
      {
        ...rest,
        className: `icon ${className}`.trimEnd(),
        viewBox: "0 0 24 24",
        fill: "none",
        stroke: "currentColor",
        strokeLinecap: "round",
        strokeLinejoin: "round",
      },
      ...shape.map(([tag, attributes]) => createElement(tag, attributes)),
    );
}

export const ArchiveRestore = createIcon(shapes.ArchiveRestore);
export const ArrowDown = createIcon(shapes.ArrowDown);
export const ArrowLeft = createIcon(shapes.ArrowLeft);
export const ArrowRight = createIcon(shapes.ArrowRight);
export const ArrowUp = createIcon(shapes.ArrowUp);
export const AtSign = createIcon(shapes.AtSign);
export const Ban = createIcon(shapes.Ban);
export const BookOpen = createIcon(shapes.BookOpen);
export const Bookmark = createIcon(shapes.Bookmark);
export const BookmarkPlus = createIcon(shapes.BookmarkPlus);
export const Braces = createIcon(shapes.Braces);
export const ChartColumn = createIcon(shapes.ChartColumn);
export const Check = createIcon(shapes.Check);
export const ChevronDown = createIcon(shapes.ChevronDown);
export const ChevronRight = createIcon(shapes.ChevronRight);
export const ChevronUp = createIcon(shapes.ChevronUp);
export const ChevronsUpDown = createIcon(shapes.ChevronsUpDown);
export const CircleAlert = createIcon(shapes.CircleAlert);
export const CircleCheck = createIcon(shapes.CircleCheck);
export const CircleDashed = createIcon(shapes.CircleDashed);
export const CircleSlash = createIcon(shapes.CircleSlash);
export const CircleStop = createIcon(shapes.CircleStop);
export const Clock = createIcon(shapes.Clock);
export const Columns3 = createIcon(shapes.Columns3);
export const Copy = createIcon(shapes.Copy);
export const Download = createIcon(shapes.Download);
export const Ellipsis = createIcon(shapes.Ellipsis);
export const Eraser = createIcon(shapes.Eraser);
export const ExternalLink = createIcon(shapes.ExternalLink);
export const FileUp = createIcon(shapes.FileUp);
export const Hash = createIcon(shapes.Hash);
export const History = createIcon(shapes.History);
export const Inbox = createIcon(shapes.Inbox);
export const KeyRound = createIcon(shapes.KeyRound);
export const Keyboard = createIcon(shapes.Keyboard);
export const LayoutDashboard = createIcon(shapes.LayoutDashboard);
export const Link2 = createIcon(shapes.Link2);
export const ListFilter = createIcon(shapes.ListFilter);
export const LockKeyhole = createIcon(shapes.LockKeyhole);
export const LogOut = createIcon(shapes.LogOut);
export const Maximize2 = createIcon(shapes.Maximize2);
export const Menu = createIcon(shapes.Menu);
export const MonitorCog = createIcon(shapes.MonitorCog);
export const Moon = createIcon(shapes.Moon);
export const PanelRight = createIcon(shapes.PanelRight);
export const Pause = createIcon(shapes.Pause);
export const Pencil = createIcon(shapes.Pencil);
export const Pin = createIcon(shapes.Pin);
export const PinOff = createIcon(shapes.PinOff);
export const Play = createIcon(shapes.Play);
export const Plug = createIcon(shapes.Plug);
export const Plus = createIcon(shapes.Plus);
export const Power = createIcon(shapes.Power);
export const RefreshCw = createIcon(shapes.RefreshCw);
export const RotateCw = createIcon(shapes.RotateCw);
export const Search = createIcon(shapes.Search);
export const SearchX = createIcon(shapes.SearchX);
export const Send = createIcon(shapes.Send);
export const Settings2 = createIcon(shapes.Settings2);
export const Sparkles = createIcon(shapes.Sparkles);
export const Square = createIcon(shapes.Square);
export const SquareCheck = createIcon(shapes.SquareCheck);
export const Sun = createIcon(shapes.Sun);
export const Terminal = createIcon(shapes.Terminal);
export const ToggleLeft = createIcon(shapes.ToggleLeft);
export const Trash2 = createIcon(shapes.Trash2);
export const TriangleAlert = createIcon(shapes.TriangleAlert);
export const Type = createIcon(shapes.Type);
export const Undo2 = createIcon(shapes.Undo2);
export const Upload = createIcon(shapes.Upload);
export const UserRound = createIcon(shapes.UserRound);
export const UserRoundCheck = createIcon(shapes.UserRoundCheck);
export const UserRoundCog = createIcon(shapes.UserRoundCog);
export const UserRoundMinus = createIcon(shapes.UserRoundMinus);
export const UserRoundPen = createIcon(shapes.UserRoundPen);
export const UserRoundPlus = createIcon(shapes.UserRoundPlus);
export const UserRoundSearch = createIcon(shapes.UserRoundSearch);
export const UserRoundX = createIcon(shapes.UserRoundX);
export const Users = createIcon(shapes.Users);
export const UsersRound = createIcon(shapes.UsersRound);
export const Webhook = createIcon(shapes.Webhook);
export const WifiOff = createIcon(shapes.WifiOff);
export const X = createIcon(shapes.X);
