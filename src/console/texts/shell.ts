import type { Scope } from "../../client/index.ts";

export const shell = {
  brand: "Roster",
  titleOf: (view: string) => `${view} · Roster`,
  skip: "Skip to content",
  groups: {
    directory: {
      title: "Directory",
      overview: "Overview",
      users: "Users",
      groups: "Groups",
      import: "Import",
      activity: "Activity",
      deletedUsers: "Deleted users",
      schema: "Schema",
    },
    developers: {
      title: "Developers",
      keys: "Keys",
      webhooks: "Webhooks",
      provisioning: "Provisioning",
      connect: "Connect",
    },
  },
  reference: "API reference",
  navigation: "Views",
  openNavigation: "Open the navigation",
  account: {
    label: (name: string) => `Account: ${name}`,
    signedInAs: (name: string) => `Signed in as ${name}`,
    open: "No key required",
    openText: "This service requires no key",
    theme: "Theme",
    themes: { system: "Like the system", light: "Light", dark: "Dark" },
    signOut: "Sign out",
  },
  offline: "You are offline. What you see may be out of date, and changes can't be saved.",
  away: "The service doesn't respond. The console tries again every few seconds. Your input is still here.",
  close: "Close",
  copy: "Copy",
  copied: "Copied",
  notCopied: {
    title: "Copying failed",
    text: "Your browser didn't allow it. Select the text and copy it.",
  },
  cancel: "Cancel",
  retry: "Try again",
  loading: "Loading…",
  notFound: {
    title: "Page not found",
    text: "The address may be wrong, or the page has moved.",
    action: "Go to users",
  },
};

export const signIn = {
  title: "Sign in",
  lead: "This service requires an API key. Your key is exchanged for a cookie that scripts can't read, and is never stored.",
  again: {
    title: "Your session has ended",
    lead: "Sign in again to continue. Your input is still here.",
  },
  closed: {
    title: "A key is now required",
    lead: "Someone created the first key of this service. Sign in to continue. Your input is still here.",
  },
  change: {
    title: "Sign in with another key",
    lead: "Your input stays here.",
  },
  key: "Key",
  placeholder: "roster_…",
  missing: "Enter your key.",
  submit: "Sign in",
  create: "No key yet? Create one on the machine that runs Roster:",
  unencrypted: "This page is not encrypted. Others on the network could read your key.",
};

export const failures = {
  offline: {
    title: "Can't reach the service",
    text: "Check that Roster is running and that you are online, then try again.",
  },
  timeout: { title: "The request timed out", text: "The service may be busy. Try again in a moment." },
  unexpected: {
    title: "Something went wrong",
    text: "Try again. If it keeps happening, check the service's log.",
  },
  forbidden: (scopes: readonly string[]) => ({
    title: "Your key doesn't allow this",
    text: `This needs a key with the scope ${scopes.join(" or ")}. Sign in with one that has it.`,
  }),
  otherKey: "Sign in with another key",
  requestId: (id: string) => `Request ${id}`,
};

/** Shown by error boundaries. */
export const broken = {
  notLoaded: {
    title: "This part of the page didn't load",
    text: "Roster may have been updated since you opened the page, or the connection was lost. Reload the page to continue.",
  },
  failed: {
    title: "This part of the page crashed",
    text: "Everything you saved is safe. Reload the page to continue.",
  },
  reload: "Reload page",
};

export const scopes: Record<Scope, { name: string; text: string }> = {
  "users:read": { name: "Read users", text: "List, search, read and export users." },
  "users:write": { name: "Edit users", text: "Create, import, edit, delete and restore users." },
  "users:purge": { name: "Purge users", text: "Erase deleted users for good." },
  "groups:read": { name: "Read groups", text: "List, search and read groups." },
  "groups:write": { name: "Edit groups", text: "Create, edit and delete groups." },
  "events:read": {
    name: "Read events",
    text: "See every change of users, groups, keys and webhooks, with the data of the users.",
  },
  "schema:manage": { name: "Manage the schema", text: "Change the schema for custom fields." },
  "webhooks:manage": { name: "Manage webhooks", text: "List, create, change and delete webhooks." },
  "keys:manage": { name: "Manage keys", text: "List, create, replace and revoke keys." },
};
