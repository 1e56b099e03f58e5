import type { Commands } from "./command.ts";
import { keys } from "./commands/keys.ts";
import { users } from "./commands/users.ts";

/** Every command, by its name. `roster --help`, the completion of shells and docs/cli.md are made from this table. */
export const commands = {
  serve: {
    usage: "roster [serve] [options]",
    about: "Serve users until SIGTERM or SIGINT.",
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  users,
  keys,
  migrate: {
    usage: "roster migrate [options]",
    about: "Bring the database's schema up to date, ahead of the nodes.",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  move: {
    usage: "roster move --from DATABASE --to DATABASE [options]",
    about: "Copy everything into another database, and check it.",
    load: async () => (await import("./commands/move.ts")).move,
  },
  backup: {
    usage: "roster backup FILE [options]",
    about: "Copy everything into one file, while services run.",
    load: async () => (await import("./commands/backup.ts")).backup,
  },
  restore: {
    usage: "roster restore FILE [options]",
    about: "Put a backup into a database, and check it.",
    load: async () => (await import("./commands/restore.ts")).restore,
  },
  seed: {
    usage: "roster seed N [options]",
    about: "Make users to try things with.",
    load: async () => (await import("./commands/seed.ts")).seed,
  },
  config: {
    usage: "roster config [options]",
    about: "Show every setting as a service would have it, and where it comes from.",
    load: async () => (await import("./commands/config.ts")).config,
  },
  openapi: {
    usage: "roster openapi",
    about: "Print the OpenAPI 3.1 description of the service.",
    load: async () => (await import("./commands/openapi.ts")).openapi,
  },
  doctor: {
    usage: "roster doctor [options]",
    about: "Check what a service with these settings would meet, and say what to do.",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  completion: {
    usage: "roster completion SHELL",
    about: "Print what makes a shell complete roster's commands and options.",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
} satisfies Commands;
