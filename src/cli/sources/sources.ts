import type { GroupSource, Source } from "./source.ts";

/** The systems that `roster users import --from` knows. */
export const sources = {
  "json-server": async () => (await import("./systems/json-server.ts")).jsonServer,
  keycloak: async () => (await import("./systems/keycloak.ts")).keycloak,
  auth0: async () => (await import("./systems/auth0.ts")).auth0,
  okta: async () => (await import("./systems/okta.ts")).okta,
  clerk: async () => (await import("./systems/clerk.ts")).clerk,
  supabase: async () => (await import("./systems/supabase.ts")).supabase,
  pocketbase: async () => (await import("./systems/pocketbase.ts")).pocketbase,
  firebase: async () => (await import("./systems/firebase.ts")).firebase,
  ldif: async () => (await import("./systems/ldif.ts")).ldif,
  scim: async () => (await import("./systems/scim.ts")).scim,
} as const satisfies Readonly<Record<string, () => Promise<Source>>>;

export type SourceName = keyof typeof sources;

export function isSourceName(text: string): text is SourceName {
  return Object.hasOwn(sources, text);
}

export const sourceNames = Object.keys(sources).filter(isSourceName);

/** The systems that `roster groups import --from` knows. */
export const groupSources = {
  scim: async () => (await import("./systems/scim.ts")).scimGroups,
} as const satisfies Readonly<Partial<Record<SourceName, () => Promise<GroupSource>>>>;

export type GroupSourceName = keyof typeof groupSources;

export function isGroupSourceName(text: string): text is GroupSourceName {
  return Object.hasOwn(groupSources, text);
}

export const groupSourceNames = Object.keys(groupSources).filter(isGroupSourceName);
