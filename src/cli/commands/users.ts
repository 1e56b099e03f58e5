import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  list: {
    usage: "roster users list [options]",
    about: "List users.",
    load: async () => (await import("./users/list.ts")).list,
  },
  count: {
    usage: "roster users count [options]",
    about: "Count users.",
    load: async () => (await import("./users/count.ts")).count,
  },
  get: {
    usage: "roster users get ID [options]",
    about: "Show a user.",
    load: async () => (await import("./users/get.ts")).get,
  },
  find: {
    usage: "roster users find EMAIL [options]",
    about: "Show the user with this email.",
    load: async () => (await import("./users/find.ts")).find,
  },
  groups: {
    usage: "roster users groups ID [options]",
    about: "List the groups of a user.",
    load: async () => (await import("./users/groups.ts")).groups,
  },
  create: {
    usage: "roster users create FIELD=VALUE… [options]",
    about: "Create a user.",
    load: async () => (await import("./users/create.ts")).create,
  },
  update: {
    usage: "roster users update ID… FIELD=VALUE… [options]",
    about: "Change some fields of users.",
    load: async () => (await import("./users/update.ts")).update,
  },
  edit: {
    usage: "roster users edit ID [options]",
    about: "Change a user in your editor.",
    load: async () => (await import("./users/edit.ts")).edit,
  },
  replace: {
    usage: "roster users replace ID FIELD=VALUE… [options]",
    about: "Replace a user. Omitted fields are removed.",
    load: async () => (await import("./users/replace.ts")).replace,
  },
  delete: {
    usage: "roster users delete ID… [options]",
    about: "Delete users. They can be restored for some time.",
    load: async () => (await import("./users/delete.ts")).remove,
  },
  deleted: {
    usage: "roster users deleted [options]",
    about: "List deleted users.",
    load: async () => (await import("./users/deleted.ts")).deleted,
  },
  restore: {
    usage: "roster users restore ID [options]",
    about: "Restore a deleted user.",
    load: async () => (await import("./users/restore.ts")).restore,
  },
  purge: {
    usage: "roster users purge ID [options]",
    about: "Erase a user for good.",
    load: async () => (await import("./users/purge.ts")).purge,
  },
  import: {
    usage: "roster users import FILE [options]",
    about: "Create users from a file: CSV, NDJSON, or another system's export.",
    load: async () => (await import("./users/import.ts")).importUsers,
  },
  export: {
    usage: "roster users export [FILE] [options]",
    about: "Write users to a CSV or NDJSON file.",
    load: async () => (await import("./users/export.ts")).exportUsers,
  },
};

export const users = commandGroup("users", {
  section: "Work with users",
  about: "Manage the users of a service.",
  commands,
  description: `These commands call the service that you signed in to with roster login, or the one at ROSTER_URL with the API key in
ROSTER_API_KEY.`,
  examples: [
    'roster users create name="Ada Lovelace" email=ada@example.com',
    "roster users list --q ada",
    "roster users get 7 --profile production",
  ],
});
