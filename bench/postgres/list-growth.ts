/** The same as `list-growth`, on PostgreSQL. */
import { postgresGrowth } from "../list-growth/growth-database.ts";
import { runGrowth } from "../list-growth/run.ts";

await runGrowth(postgresGrowth);
