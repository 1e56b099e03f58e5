import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  list: {
    usage: "roster fields list [options]",
    about: "List the custom fields that users have.",
    load: async () => (await import("./fields/list.ts")).list,
  },
  values: {
    usage: "roster fields values FIELD [options]",
    about: "List the values of a custom field.",
    load: async () => (await import("./fields/values.ts")).values,
  },
};

export const fields = commandGroup("fields", {
  section: "Work with users",
  about: "Show the custom fields of users, and their values.",
  commands,
  examples: ["roster fields list", "roster fields values department --prefix s"],
});
