import { isApple } from "../lib/platform.ts";

/** A key, and what it does. The handlers, the list of all shortcuts and the hints of commands read it here. */
export interface Shortcut {
  /** `KeyboardEvent.key`. */
  readonly key: string;
  /** The keys as people know them. Default: `key`. */
  readonly shown?: string;
  readonly text: string;
}

type Shortcuts = Readonly<Record<string, Shortcut>>;

const withControl = (key: string) => (isApple ? `⌘${key}` : `Ctrl ${key}`);

export const shortcuts = {
  everywhere: {
    palette: { key: "k", shown: withControl("K"), text: "Find users, views and actions" },
    undo: { key: "z", shown: withControl("Z"), text: "Undo the last change" },
    submit: { key: "Enter", shown: isApple ? "⌘ Enter" : "Ctrl Enter", text: "Save the form" },
    close: { key: "Escape", shown: "Esc", text: "Close, or clear the selection" },
    help: { key: "?", text: "Show these shortcuts" },
  },
  users: {
    search: { key: "/", text: "Search" },
    newUser: { key: "n", shown: "N", text: "New user" },
    rows: { key: "ArrowDown", shown: "↑ ↓", text: "Move through the table, also from the search" },
    ends: { key: "End", shown: "Home End", text: "First and last user" },
    headings: { key: "ArrowRight", shown: "← →", text: "Move through the headings of the table" },
    width: { key: "ArrowRight", shown: "Shift ← →", text: "Change the width of the heading's column" },
    fit: { key: "Enter", shown: "Shift Enter", text: "Fit the heading's column to its content" },
    open: { key: "Enter", text: "Open the user" },
    select: { key: " ", shown: "Space", text: "Select the user" },
    range: { key: "ArrowDown", shown: "Shift ↑ ↓", text: "Select a range" },
    remove: { key: "Delete", text: "Delete the user" },
    menu: { key: "F10", shown: "Shift F10", text: "Show the actions of the user" },
  },
  groups: {
    newGroup: { key: "n", shown: "N", text: "New group" },
  },
  user: {
    next: { key: "j", shown: "J", text: "Next user of the list" },
    previous: { key: "k", shown: "K", text: "Previous user of the list" },
  },
} as const satisfies Record<string, Shortcuts>;

/** The first key of those that go to a view. The second one is that of the view. */
export const goKey = "g";

/** Such as "G U". */
export const shownGoKeys = (key: string) => `${goKey} ${key}`.toUpperCase();

export const shortcutTexts = {
  title: "Keyboard shortcuts",
  sections: { users: "Users", groups: "Groups", user: "Open user", views: "Go to", everywhere: "Everywhere" },
};
