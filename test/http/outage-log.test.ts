import { expect, test } from "bun:test";
import { DatabaseUnavailable } from "../../src/domain/database-unavailable.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { OutageLog } from "../../src/telemetry/outage-log.ts";

const WAIT_MS = 1000;
const error = new DatabaseUnavailable("The database is not reachable.");

function create() {
  let time = 100;
  const lines: string[] = [];
  const log = createLog({
    level: "info",
    json: true,
    out: (line) => lines.push(JSON.parse(line).message),
  });
  const outages = new OutageLog(log, WAIT_MS, () => time);
  const advance = (ms: number) => {
    time += ms;
    return time;
  };
  return { outages, lines, advance };
}

test("a lost database is logged once, and is back after a read that started later", () => {
  const { outages, lines, advance } = create();
  for (let i = 0; i < 3; i++) expect(outages.requestFailed(error, "read", 90)).toBe(true);
  outages.readSucceeded(95);
  expect(lines).toEqual(["database lost"]);
  outages.readSucceeded(advance(1));
  outages.readSucceeded(advance(1));
  expect(lines).toEqual(["database lost", "database back"]);
});

test("a read that fails alone is not an outage", () => {
  const { outages, lines, advance } = create();
  outages.readSucceeded(advance(10));
  expect(outages.requestFailed(error, "read", 100)).toBe(false);
  expect(lines).toEqual([]);
});

test("after a failed write, reads alone do not end the outage, but a commit does", () => {
  const { outages, lines, advance } = create();
  outages.requestFailed(error, "write", 90);
  outages.readSucceeded(advance(WAIT_MS));
  outages.requestFailed(error, "write", advance(1));
  outages.readSucceeded(advance(WAIT_MS));
  expect(lines).toEqual(["database lost"]);
  advance(1);
  outages.committed();
  outages.readSucceeded(advance(1));
  expect(lines).toEqual(["database lost", "database back"]);
});

test("after a failed write, the outage ends without a commit if no write fails for two waits", () => {
  const { outages, lines, advance } = create();
  outages.failed(error, "write");
  outages.readSucceeded(advance(2 * WAIT_MS));
  expect(lines).toEqual(["database lost"]);
  outages.readSucceeded(advance(2 * WAIT_MS));
  expect(lines).toEqual(["database lost", "database back"]);
});
