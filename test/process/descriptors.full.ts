import { afterEach, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { RawConnection } from "../support/process/connection.ts";
import { startRoster, stopAll, temporaryFolder } from "../support/process/roster.ts";
import { requireProgram } from "../support/requirements.ts";

setDefaultTimeout(120_000);
afterEach(stopAll);

const LIMIT = 90;

requireProgram("prlimit").test(
  "file descriptors that run out are logged once, and the service recovers by itself",
  async () => {
    const roster = await startRoster(join(temporaryFolder(), "roster.db"));
    const limit = Bun.spawn(["prlimit", `--pid=${roster.pid}`, `--nofile=${LIMIT}:${LIMIT}`]);
    expect(await limit.exited).toBe(0);
    const errors = () =>
      roster.stdout.map((line) => JSON.parse(line)).filter(({ level }) => level === "error");
    const fill = () => Promise.all(Array.from({ length: LIMIT }, () => RawConnection.open(roster.port)));
    for (let round = 0; round < 2; round++) {
      const connections = await fill();
      await roster.until(() => errors().length > 0);
      for (const connection of connections) connection.close();
      expect((await roster.call("/api/users")).status).toBe(200);
    }
    expect(errors()).toMatchObject([{ code: "EMFILE", cause: expect.stringContaining("ulimit -n") }]);
  },
);
