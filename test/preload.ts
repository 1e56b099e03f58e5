import { afterAll } from "bun:test";
import { endAllPostgres } from "./postgres/server.ts";

afterAll(endAllPostgres, 30_000);
