import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  create: {
    usage: "roster keys create --name NAME --scope SCOPES [options]",
    about: "Create a key and print it.",
    load: async () => (await import("./keys/create.ts")).create,
  },
  list: {
    usage: "roster keys list [options]",
    about: "List all keys with their scopes, usage and state.",
    load: async () => (await import("./keys/list.ts")).list,
  },
  revoke: {
    usage: "roster keys revoke ID [options]",
    about: "Revoke a key permanently.",
    load: async () => (await import("./keys/revoke.ts")).revoke,
  },
  replace: {
    usage: "roster keys replace ID [options]",
    about: "Create a new key in place of an old one.",
    load: async () => (await import("./keys/replace.ts")).replace,
  },
  generate: {
    usage: "roster keys generate",
    about: "Print a new key for ROSTER_API_KEY, without storing it.",
    load: async () => (await import("./keys/generate.ts")).generate,
  },
};

export const keys = commandGroup("keys", {
  section: "Manage a database",
  about: "Create, list, revoke and replace API keys.",
  commands,
  description: `These commands work on the database, whether a service is running or not. Services notice changes within a second. Run
the commands as the operating system user of the service: a file that another user creates may not be writable for the
service. From another machine, use the page /keys of a service in a browser, or its /api/keys.`,
  examples: ["roster keys create --name ci --scope users:read", "roster keys list", "roster keys revoke 7"],
});
