import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  list: {
    usage: "roster groups list [options]",
    about: "List groups.",
    load: async () => (await import("./groups/list.ts")).list,
  },
  get: {
    usage: "roster groups get GROUP [options]",
    about: "Show a group.",
    load: async () => (await import("./groups/get.ts")).get,
  },
  create: {
    usage: "roster groups create FIELD=VALUE… [options]",
    about: "Create a group.",
    load: async () => (await import("./groups/create.ts")).create,
  },
  update: {
    usage: "roster groups update GROUP FIELD=VALUE… [options]",
    about: "Change some fields of a group.",
    load: async () => (await import("./groups/update.ts")).update,
  },
  edit: {
    usage: "roster groups edit GROUP [options]",
    about: "Change a group in your editor.",
    load: async () => (await import("./groups/edit.ts")).edit,
  },
  replace: {
    usage: "roster groups replace GROUP FIELD=VALUE… [options]",
    about: "Replace a group. Omitted fields are removed.",
    load: async () => (await import("./groups/replace.ts")).replace,
  },
  delete: {
    usage: "roster groups delete GROUP… [options]",
    about: "Delete groups for good. Their members stay users.",
    load: async () => (await import("./groups/delete.ts")).remove,
  },
  members: {
    usage: "roster groups members GROUP [options]",
    about: "List the members of a group.",
    load: async () => (await import("./groups/members.ts")).members,
  },
  add: {
    usage: "roster groups add GROUP ID… [options]",
    about: "Make users members of a group.",
    load: async () => (await import("./groups/add.ts")).add,
  },
  remove: {
    usage: "roster groups remove GROUP ID… [options]",
    about: "Remove users from a group.",
    load: async () => (await import("./groups/remove.ts")).remove,
  },
  import: {
    usage: "roster groups import FILE [options]",
    about: "Create groups, or memberships, from a CSV or NDJSON file.",
    load: async () => (await import("./groups/import.ts")).importGroups,
  },
  export: {
    usage: "roster groups export [FILE] [options]",
    about: "Write groups, or memberships, to a CSV or NDJSON file.",
    load: async () => (await import("./groups/export.ts")).exportGroups,
  },
};

export const groups = commandGroup("groups", {
  section: "Work with users",
  about: "Manage groups and their members.",
  commands,
  description: `GROUP is the id of a group, or its name. A word of only digits is an id, and everything else is a name, upper or lower case.
A group whose name is only digits is found by its id. To find a group by its name, the key needs the scope groups:read.`,
  examples: [
    "roster groups create name=Sales region=north",
    "roster groups add sales 7 8 9",
    "roster groups members sales",
    "roster users list --group sales --where plan=pro",
  ],
});
