import type { Command, Commands } from "./command.ts";
import { events } from "./commands/events.ts";
import { fields } from "./commands/fields.ts";
import { groups } from "./commands/groups.ts";
import { keys } from "./commands/keys.ts";
import { schema } from "./commands/schema.ts";
import { users } from "./commands/users.ts";
import { webhooks } from "./commands/webhooks.ts";

/** All commands by name: the source of `roster --help`, shell completion and docs/cli.md. */
export const commands = {
  serve: {
    section: "Run a service",
    usage: "roster [serve] [options]",
    about: "Run the service until SIGTERM or SIGINT.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  users,
  groups,
  fields,
  schema,
  events,
  webhooks,
  stats: {
    section: "Work with users",
    usage: "roster stats [options]",
    about: "Show how many users there were on each of the last days.",
    load: async () => (await import("./commands/stats.ts")).stats,
  },
  login: {
    section: "Work with users",
    usage: "roster login [URL] [options]",
    about: "Sign in to a service, and store its URL and key as a profile.",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    section: "Work with users",
    usage: "roster logout [options]",
    about: "Remove a profile.",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  profiles: {
    section: "Work with users",
    usage: "roster profiles [options]",
    about: "List the profiles of this machine.",
    load: async () => (await import("./commands/profiles.ts")).profiles,
  },
  mcp: {
    section: "Work with users",
    usage: "roster mcp [options]",
    about: "Offer the users to an AI assistant, as an MCP server on stdin and stdout.",
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  keys,
  migrate: {
    section: "Manage a database",
    usage: "roster migrate [options]",
    about: "Migrate the database schema.",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  compact: {
    section: "Manage a database",
    usage: "roster compact [options]",
    about: "Remove the last bytes of deleted data from the database.",
    load: async () => (await import("./commands/compact.ts")).compact,
  },
  move: {
    section: "Manage a database",
    usage: "roster move --from DATABASE --to DATABASE [options]",
    about: "Copy all data into another database and verify it.",
    load: async () => (await import("./commands/move.ts")).move,
  },
  backup: {
    section: "Manage a database",
    usage: "roster backup FILE [options]",
    about: "Back up all data into one file while services run.",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    section: "Manage a database",
    usage: "roster restore FILE [options]",
    about: "Restore a backup into a database and verify it.",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  adopt: {
    section: "Manage a database",
    usage: "roster adopt FILE [options]",
    about: "Make a file that another program has restored safe to serve.",
    load: async () => (await import("./commands/adopt.ts")).adopt,
  },
  seed: {
    section: "Manage a database",
    usage: "roster seed N [options]",
    about: "Create sample users.",
    load: async () => (await import("./commands/seed.ts")).seed,
  },
  config: {
    section: "Run a service",
    usage: "roster config [options]",
    about: "Show every setting and its source.",
    load: async () => (await import("./commands/config.ts")).config,
  },
  openapi: {
    usage: "roster openapi [options]",
    about: "Print the OpenAPI 3.1 document of the service.",
    load: async () => (await import("./commands/openapi.ts")).openapi,
  },
  doctor: {
    section: "Run a service",
    usage: "roster doctor [options]",
    about: "Check the settings, the database and the machine, and suggest fixes.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  health: {
    section: "Run a service",
    usage: "roster health [options]",
    about: "Check whether the service on this machine is ready.",
    load: async () => (await import("./commands/health.ts")).health,
  },
  completion: {
    usage: "roster completion SHELL",
    about: "Print a completion script for your shell.",
    load: async (): Promise<Command> =>
      (await import("./commands/completion.ts")).completionCommand(commands),
  },
  help: {
    usage: "roster help [COMMAND]",
    about: "Show the help of a command.",
    load: async (): Promise<Command> => (await import("./commands/help.ts")).helpCommand(commands),
  },
  version: {
    usage: "roster version",
    about: "Show the version.",
    load: async () => (await import("./commands/version.ts")).printVersion,
  },
} satisfies Commands;
