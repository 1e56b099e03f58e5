import { settings } from "../../config/settings.ts";

/** Flags of the commands that open the database. */
export const databaseFlags = {
  database: settings.database,
  databasePooler: settings.databasePooler,
  databaseWait: {
    ...settings.databaseWait,
    about: "Milliseconds to wait for a database that is unavailable or locked.",
  },
} as const;

/** For commands that do not create a database. */
export const existingDatabaseFlags = {
  ...databaseFlags,
  database: { ...databaseFlags.database, about: "The database: an SQLite file, or a PostgreSQL database." },
} as const;
