import type { Group, Scope, User } from "../../client/index.ts";
import { themes } from "../../pages/script/theme.ts";
import { signOut } from "../app/sign-out.ts";
import { chooseTheme } from "../app/theme.ts";
import { usableViews } from "../app/views.ts";
import { type Command, commandsOf } from "../lib/commands.ts";
import { requestCreation } from "../lib/creation-request.ts";
import type { CurrentSession } from "../lib/session.ts";
import { hasUnsavedChanges } from "../lib/unsaved-changes.ts";
import { commands } from "../texts/commands.ts";
import { groupPage, groups } from "../texts/groups.ts";
import { shell } from "../texts/index.ts";
import { palette as texts } from "../texts/palette.ts";
import { savedLists as savedListTexts } from "../texts/saved-lists.ts";
import { shortcuts, shownGoKeys } from "../texts/shortcuts.ts";
import {
  Bookmark,
  BookOpen,
  KeyRound,
  LogOut,
  MonitorCog,
  Moon,
  Sun,
  Undo2,
  UserRound,
  Users,
  Webhook,
} from "../ui/icons.ts";
import { newUserCommand } from "../users/new-user-command.ts";
import { readSavedLists } from "../users/saved-lists/saved-lists.ts";
import { canUndo, undoLast } from "../users/undo/undo.ts";
import { viewPaths } from "../view-paths.ts";

const themeIcons = { system: MonitorCog, light: Sun, dark: Moon } as const;

export function listViews(session: CurrentSession): Command[] {
  const links = usableViews(session).map(
    ({ path, label, icon, key }): Command => ({
      id: path,
      label,
      hint: shownGoKeys(key),
      icon,
      run: (navigate) => navigate(path),
    }),
  );
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
  const newUser = newUserCommand((navigate) => navigate(`${viewPaths.users}/new`));
  const newGroup: Command = {
    id: "new-group",
    label: groups.newGroup,
    icon: Users,
    run: (navigate) => navigate(`${viewPaths.groups}/new`),
  };
  const newKey: Command = {
    id: "new-key",
    label: commands.newKey,
    icon: KeyRound,
    run: (navigate) => {
      requestCreation("key");
      navigate(viewPaths.keys);
    },
  };
  const newWebhook: Command = {
    id: "new-webhook",
    label: commands.newWebhook,
    icon: Webhook,
    run: (navigate) => {
      requestCreation("webhook");
      navigate(viewPaths.webhooks);
    },
  };
  const undo: Command = {
    id: "undo",
    label: commands.undo,
    hint: shortcuts.everywhere.undo.shown,
    icon: Undo2,
    run: undoLast,
  };
  const has = (...needed: Scope[]) => needed.every((scope) => scopes.includes(scope));
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
    ...(canUndo() && !hasUnsavedChanges() ? [undo] : []),
    ...(has("users:write") ? [newUser] : []),
    ...(has("groups:read", "groups:write") ? [newGroup] : []),
    ...(has("keys:manage") ? [newKey] : []),
    ...(has("webhooks:manage", "events:read") ? [newWebhook] : []),
    ...commandsOf("everywhere"),
    ...themeChoices,
    ...(auth === "session" ? [leave] : []),
  ];
}

export function toUserCommand({ id, name, email }: User): Command {
  return {
    id: `user ${id}`,
    label: name,
    hint: email ?? `#${id}`,
    icon: UserRound,
    run: (navigate) => navigate(`${viewPaths.users}/${id}`),
  };
}

export function toGroupCommand({ id, name, memberCount }: Group): Command {
  return {
    id: `group ${id}`,
    label: name,
    hint: groupPage.members(memberCount),
    icon: Users,
    run: (navigate) => navigate(`${viewPaths.groups}/${id}`),
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
