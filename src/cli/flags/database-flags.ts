import { settings } from "../../config/settings.ts";

/** How a command that works on the database itself is told of it. */
export const databaseFlags = {
  database: settings.database,
  databasePooler: settings.databasePooler,
  databaseWait: {
    ...settings.databaseWait,
    about: "Milliseconds to wait for a database that is away or in use.",
  },
} as const;

/** The same where nothing is made. */
export const existingDatabaseFlags = {
  ...databaseFlags,
  database: { ...databaseFlags.database, about: "The database: an SQLite file, or a PostgreSQL database." },
} as const;
