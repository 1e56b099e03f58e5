import type { User } from "../../client/index.ts";
import { themes } from "../../pages/script/theme.ts";
import { signOut } from "../app/sign-out.ts";
import { chooseTheme } from "../app/theme.ts";
import { canUse, views } from "../app/views.ts";
import type { CurrentSession } from "../lib/session.ts";
import { shell } from "../texts/index.ts";
import { palette as texts } from "../texts/palette.ts";
import { savedLists as savedListTexts } from "../texts/saved-lists.ts";
import {
  Bookmark,
  BookOpen,
  type Icon,
  LogOut,
  MonitorCog,
  Moon,
  Sun,
  UserRound,
  UserRoundPlus,
} from "../ui/icons.ts";
import { readSavedLists } from "../users/saved-lists/saved-lists.ts";
import { viewPaths } from "../view-paths.ts";

/** An entry of the palette. */
export interface Command {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  readonly icon: Icon;
  readonly run: (navigate: (path: string) => void) => void;
}

const themeIcons = { system: MonitorCog, light: Sun, dark: Moon } as const;

export function listViews(session: CurrentSession): Command[] {
  const usable = views.filter((view) => canUse(view, session));
  const links = usable.map(({ path, label, icon }) => ({
    id: path,
    label,
    icon,
    run: (navigate: (path: string) => void) => navigate(path),
  }));
  const reference = {
    id: "/docs",
    label: shell.reference,
    icon: BookOpen,
    run: () => location.assign("/docs"),
  };
  return [...links, reference];
}

/** The lists of users that the person has saved. */
export function listSavedListCommands({ scopes }: CurrentSession): Command[] {
  if (!scopes.includes("users:read")) return [];
  return readSavedLists().map(({ name, query }) => ({
    id: `list ${name}`,
    label: name,
    hint: savedListTexts.linkHint,
    icon: Bookmark,
    run: (navigate) => navigate(viewPaths.users + query),
  }));
}

export function listActions({ auth, scopes }: CurrentSession): Command[] {
  const newUser: Command = {
    id: "new-user",
    label: texts.newUser,
    icon: UserRoundPlus,
    run: (navigate) => navigate(`${viewPaths.users}/new`),
  };
  const themeChoices = themes.map((theme) => ({
    id: theme,
    label: texts.theme[theme],
    icon: themeIcons[theme],
    run: () => chooseTheme(theme),
  }));
  const leave: Command = {
    id: "sign-out",
    label: texts.signOut,
    icon: LogOut,
    run: () => void signOut(),
  };
  return [
    ...(scopes.includes("users:write") ? [newUser] : []),
    ...themeChoices,
    ...(auth === "session" ? [leave] : []),
  ];
}

export function toCommand({ id, name, email }: User): Command {
  return {
    id: `user ${id}`,
    label: name,
    hint: email ?? `#${id}`,
    icon: UserRound,
    run: (navigate) => navigate(`${viewPaths.users}/${id}`),
  };
}

/** The commands whose label has a word that starts with each word of the text. */
export function findCommands(commands: readonly Command[], text: string): Command[] {
  const words = text.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ label }) => {
    const parts = label.toLocaleLowerCase().split(/\s+/);
    return words.every((word) => parts.some((part) => part.startsWith(word)));
  });
}
