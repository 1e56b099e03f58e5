/** Every kind of list among few and among many users of `roster seed`: whether its first page is full in time, and what it costs. */
import { sqliteGrowth } from "./list-growth/growth-database.ts";
import { runGrowth } from "./list-growth/run.ts";

await runGrowth(sqliteGrowth);
