import { copyFileSync, existsSync, rmSync } from "node:fs";
import { BenchPostgres } from "../support/bench-postgres.ts";
import { startCpuMeter } from "../support/cpu-meter.ts";
import { ScratchFolder } from "../support/scratch-folder.ts";

/** Databases for one run. Disposing of it deletes them. */
export interface CompareEngine extends AsyncDisposable {
  /** Creates an empty database and returns its address. */
  create(name: string): Promise<string>;
  /** Copies a database that no service uses, and replaces an earlier copy. Returns the address of the copy. */
  copy(from: string, to: string): Promise<string>;
  /** Starts to measure the CPU time of the database server. Without a server, it is 0. */
  startCpuMeter(): () => number;
}

export const engines = { sqlite: startSqlite, postgres: startPostgres } as const;

async function startSqlite(): Promise<CompareEngine> {
  const folder = new ScratchFolder();
  const pathOf = (name: string) => folder.file(`${name}.db`);
  return {
    create: async (name) => pathOf(name),
    async copy(from, to) {
      for (const part of ["", "-wal", "-shm"]) {
        rmSync(pathOf(to) + part, { force: true });
        if (existsSync(pathOf(from) + part)) copyFileSync(pathOf(from) + part, pathOf(to) + part);
      }
      return pathOf(to);
    },
    startCpuMeter: () => () => 0,
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  };
}

async function startPostgres(): Promise<CompareEngine> {
  const postgres = await BenchPostgres.start();
  return {
    async create(name) {
      await postgres.query(`CREATE DATABASE ${name}`);
      return postgres.url(name);
    },
    async copy(from, to) {
      await postgres.query("VACUUM (ANALYZE)", from);
      await postgres.query(`DROP DATABASE IF EXISTS ${to}`);
      await postgres.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
      await postgres.query("CHECKPOINT");
      return postgres.url(to);
    },
    startCpuMeter: () => startCpuMeter(postgres.server.pid),
    [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
  };
}
