import { afterEach, expect, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findPrefixAnomalies } from "../support/consistency/check-prefix.ts";
import {
  findListInconsistencies,
  findSqliteCorruption,
  listAllUsers,
} from "../support/consistency/list-checks.ts";
import { Workload } from "../support/consistency/workload.ts";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { until } from "../support/until.ts";

afterEach(stopAll, 60_000);

/** For a long run: `TORN_WAL_ROUNDS=50 npm test -- ./test/process/torn-wal.slow.ts`. */
const rounds = Number(process.env.TORN_WAL_ROUNDS ?? 3);

/** Damages the bytes of a WAL from a position on. */
const damages: Record<string, (wal: Buffer, position: number) => Buffer> = {
  nothing: (wal) => wal,
  "a truncated end": (wal, position) => wal.subarray(0, position),
  "zeros at the end": (wal, position) => Buffer.from(wal).fill(0, position),
  "a garbled end": (wal, position) => garble(wal, position, wal.length),
  "a garbled sector": (wal, position) => garble(wal, position, Math.min(position + 512, wal.length)),
  "a flipped bit": (wal, position) => {
    const damaged = Buffer.from(wal);
    damaged[position] = (damaged[position] ?? 0) ^ 4;
    return damaged;
  },
};

test(
  "after damage to the end of the WAL, the service starts with a prefix of the acknowledged writes",
  async () => {
    const folder = temporaryFolder();
    const database = join(folder, "roster.db");
    let roster = await startRoster(database);
    const load = new Workload({ ports: () => [roster.port], withinMs: 20_000, mayBreak: true, repeated: 0 });
    await load.prepare();
    const { operations } = load.history;
    let starts = 0;
    let lost = 0;
    for (let round = 1; round <= rounds; round++) {
      const before = load.counts.acknowledged;
      load.start();
      await until(() => load.counts.acknowledged > before + 100);
      await Bun.sleep(Math.random() * 500);
      roster.kill("SIGKILL");
      await roster.exited;
      await load.stop();
      const wal = readFileSync(`${database}-wal`);
      const first = firstFreeByte(readFileSync(`${database}-shm`));
      let all = 0;
      for (const [name, damage] of Object.entries(damages)) {
        const copy = join(folder, `${round}-${name.replaceAll(" ", "-")}.db`);
        copyFileSync(database, copy);
        const position = first + Math.floor(Math.random() * Math.max(1, wal.length - first));
        writeFileSync(`${copy}-wal`, damage(wal, Math.min(position, wal.length)));
        const damaged = await startRoster(copy);
        const { users } = await listAllUsers(damaged);
        const changes = users.reduce((sum, { version }) => sum + version, 0);
        if (name === "nothing") all = changes;
        else if (changes < all) lost++;
        const anomalies = [
          ...findPrefixAnomalies(operations, users),
          ...(await findListInconsistencies(damaged, users)),
          ...findSqliteCorruption(copy, users.length),
        ];
        expect({ round, name, position, anomalies }).toEqual({ round, name, position, anomalies: [] });
        expect((await damaged.call("/api/users", { method: "POST", json: { name: "After" } })).status).toBe(
          201,
        );
        damaged.kill("SIGKILL");
        await damaged.exited;
        starts++;
      }
      roster = await startRoster(database);
      const anomalies = await load.findErrors([roster], (users) => findSqliteCorruption(database, users));
      expect({ round, anomalies }).toEqual({ round, anomalies: [] });
    }
    console.log({ starts, startsWithLostWrites: lost, operations: operations.length, anomalies: 0 });
    expect(lost).toBeGreaterThan(0);
  },
  120_000 + rounds * 60_000,
);

/**
 * The position in the WAL after which no frame has been copied to the database file. SQLite flushes frames before it copies
 * them, so a power cut damages later frames only. See "The WAL-Index File Format" in the documentation of SQLite.
 */
function firstFreeByte(shm: Buffer): number {
  const copiedFrames = shm.readUInt32LE(128);
  const pageSize = shm.readUInt16LE(14);
  return 32 + copiedFrames * (24 + pageSize);
}

function garble(wal: Buffer, from: number, to: number): Buffer {
  const damaged = Buffer.from(wal);
  randomFillSync(damaged, from, to - from);
  return damaged;
}
