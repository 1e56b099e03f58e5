import { cp, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { SQL } from "bun";
import { type Postgres, startPostgres } from "./server.ts";

/** Starts a hot standby of a server. Does the work of pg_basebackup, which the npm package lacks. */
export async function startStandby(
  primary: Postgres,
  settings: Record<string, string> = {},
): Promise<Postgres> {
  const source = `host=127.0.0.1 port=${primary.port} user=postgres`;
  return await startPostgres({
    settings: { primary_conninfo: source, ...settings },
    fill: (folder) => copyData(primary, folder),
  });
}

async function copyData(primary: Postgres, folder: string): Promise<void> {
  const sql = new SQL(primary.url(), { max: 1 });
  try {
    await sql`SELECT pg_backup_start('standby', fast => true)`;
    await cp(primary.folder, folder, {
      recursive: true,
      filter: (path) => !["postmaster.pid", "postmaster.opts"].includes(basename(path)),
    });
    const [{ labelfile }] = await sql`SELECT labelfile FROM pg_backup_stop(wait_for_archive => false)`;
    await writeFile(join(folder, "backup_label"), labelfile);
    await writeFile(join(folder, "standby.signal"), "");
  } finally {
    await sql.close();
  }
}
