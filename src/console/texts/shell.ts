import type { Scope } from "../../client/index.ts";

export const shell = {
  brand: "Roster",
  titleOf: (view: string) => `${view} · Roster`,
  skip: "Skip to the content",
  users: "Users",
  import: "Import",
  keys: "Keys",
  connect: "Connect",
  reference: "API reference",
  navigation: "Views",
  theme: {
    system: "Colours follow the system",
    light: "Light colours",
    dark: "Dark colours",
  },
  signedInAs: (name: string) => `Signed in as ${name}`,
  signOut: "Sign out",
  offline: "You are offline. What you see may be out of date; changes wait until you are back.",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  notCopied: {
    title: "Nothing was copied",
    text: "The browser did not allow it. Select the text and copy it by hand.",
  },
  cancel: "Cancel",
  retry: "Try again",
  loading: "Loading…",
  notFound: {
    title: "There is nothing here",
    text: "The address may be mistyped, or what was here has moved.",
    action: "Go to the users",
  },
};

export const signIn = {
  title: "Sign in",
  lead: "This service asks for a key. It is traded for a cookie that no script can read; nothing here keeps the key.",
  again: {
    title: "Your session has ended",
    lead: "Sign in again to go on. What you have typed is still here.",
  },
  closed: {
    title: "A key is needed now",
    lead: "Somebody has made the first key of this service. Sign in to go on: what you have typed is still here.",
  },
  change: {
    title: "Sign in with another key",
    lead: "What you have typed stays here.",
  },
  key: "Key",
  placeholder: "roster_…",
  missing: "Paste your key here.",
  submit: "Sign in",
  make: "No key yet? Make one where the service runs:",
  unencrypted:
    "This page came without encryption, and the key would go the same way: others on the network could read it.",
};

export const failures = {
  offline: {
    title: "The service cannot be reached",
    text: "Check that it runs and that you are connected, then try again.",
  },
  late: { title: "The service took too long", text: "It may be busy. Try again in a moment." },
  unexpected: {
    title: "Something went wrong",
    text: "Try again. If it stays so, the service's log tells more.",
  },
  forbidden: (scope: string) => ({
    title: "Your key may not do this",
    text: `It takes a key with the scope ${scope}. Sign in with one that has it.`,
  }),
  otherKey: "Sign in with another key",
  requestId: (id: string) => `Request ${id}`,
};

/** Where a part of the page is not there, or breaks. */
export const broken = {
  unloaded: {
    title: "This part could not be loaded",
    text: "The service may have been updated since you opened the page, or the connection is lost. Reload the page to go on.",
  },
  failed: {
    title: "This part of the page has broken",
    text: "Nothing is lost that was saved. Reload the page to go on.",
  },
  reload: "Reload the page",
};

export const scopes: Record<Scope, { name: string; text: string }> = {
  "users:read": { name: "Read users", text: "List, search, read and export users." },
  "users:write": { name: "Change users", text: "Create, import, change and delete users." },
  "keys:manage": { name: "Manage keys", text: "See, make, replace and revoke keys." },
};
