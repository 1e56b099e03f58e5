import type { Commands } from "../command.ts";
import { commandGroup } from "../command-group.ts";

const commands: Commands = {
  show: {
    usage: "roster schema show [options]",
    about: "Print the schema for custom fields.",
    load: async () => (await import("./schema/show.ts")).show,
  },
  set: {
    usage: "roster schema set FILE [options]",
    about: "Replace the schema for custom fields.",
    load: async () => (await import("./schema/set.ts")).set,
  },
  check: {
    usage: "roster schema check FILE [options]",
    about: "Check all users against a schema, without storing it.",
    load: async () => (await import("./schema/check.ts")).check,
  },
  violations: {
    usage: "roster schema violations [options]",
    about: "List the users that the schema does not allow.",
    load: async () => (await import("./schema/violations.ts")).violations,
  },
};

export const schema = commandGroup("schema", {
  section: "Work with users",
  about: "Show, check and change the schema for custom fields.",
  commands,
  examples: ["roster schema check schema.json", "roster schema set schema.json"],
});
