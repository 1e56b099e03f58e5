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
    out: (line) => {
      const { message, failedRequests } = JSON.parse(line);
      lines.push(failedRequests ? `${message} with ${failedRequests} failed requests` : message);
    },
  });
  const outages = new OutageLog(log, WAIT_MS, () => time);
  const advance = (ms: number) => {
    time += ms;
    return time;
  };
  /** A request that started at `start` fails now. Logs its own line if only this request failed. */
  const failRequest = (access: "read" | "write", start: number, cause = error) =>
    outages.requestFailed(cause, access, start, (level) => log.write(level, "request failed"));
  return { outages, lines, advance, failRequest };
}

test("a lost database is logged once, and is back after a read that started later", () => {
  const { outages, lines, advance, failRequest } = create();
  for (let i = 0; i < 3; i++) failRequest("read", 90);
  outages.readSucceeded(95);
  expect(lines).toEqual(["database lost"]);
  outages.readSucceeded(advance(1));
  outages.readSucceeded(advance(1));
  expect(lines).toEqual(["database lost", "database back with 3 failed requests"]);
});

test("a read that fails alone is not an outage: the next read of the key ring succeeds", () => {
  const { outages, lines, advance, failRequest } = create();
  outages.readSucceeded(advance(10));
  failRequest("read", 100);
  expect(lines).toEqual([]);
  outages.readSucceeded(advance(10));
  outages.readSucceeded(advance(10));
  expect(lines).toEqual(["request failed"]);
});

test("reads that were running when the database was lost belong to the outage", () => {
  const { outages, lines, advance, failRequest } = create();
  outages.readSucceeded(advance(10));
  for (let i = 0; i < 3; i++) failRequest("read", 100);
  // This read started before the requests failed, so its success proves nothing.
  outages.readSucceeded(105);
  advance(10);
  outages.failed(error, "read", 108);
  outages.readSucceeded(advance(10));
  expect(lines).toEqual(["database lost", "database back with 3 failed requests"]);
});

test("requests that started during an outage and fail later belong to the outage", () => {
  const { outages, lines, advance, failRequest } = create();
  failRequest("write", 90);
  const started = advance(1);
  outages.readSucceeded(advance(1));
  failRequest("read", started);
  advance(1);
  outages.committed();
  outages.readSucceeded(advance(1));
  failRequest("read", started);
  failRequest("write", started);
  outages.failed(error, "write", started);
  outages.readSucceeded(advance(1));
  expect(lines).toEqual(["database lost", "database back with 2 failed requests"]);
});

test("a read that got no connection is an overload, or part of an outage", () => {
  const { outages, lines, advance, failRequest } = create();
  const noConnection = new DatabaseUnavailable("Too many lists are waiting.");
  noConnection.noConnection = true;
  failRequest("read", 90, noConnection);
  outages.readSucceeded(advance(10));
  expect(lines).toEqual(["request failed"]);
  failRequest("read", advance(10), noConnection);
  outages.failed(error, "read", advance(10));
  failRequest("read", advance(10), noConnection);
  outages.readSucceeded(advance(10));
  expect(lines.slice(1)).toEqual(["database lost", "database back with 2 failed requests"]);
});

test("a failed read without a proof for or against an outage is logged when the service stops", () => {
  const { outages, lines, advance, failRequest } = create();
  outages.readSucceeded(advance(10));
  failRequest("read", 100);
  outages.flush();
  expect(lines).toEqual(["request failed"]);
});

test("after a failed write, reads alone do not end the outage, but a commit does", () => {
  const { outages, lines, advance, failRequest } = create();
  failRequest("write", 90);
  outages.readSucceeded(advance(WAIT_MS));
  failRequest("write", advance(1));
  outages.readSucceeded(advance(WAIT_MS));
  expect(lines).toEqual(["database lost"]);
  advance(1);
  outages.committed();
  outages.readSucceeded(advance(1));
  expect(lines).toEqual(["database lost", "database back with 2 failed requests"]);
});

test("after a failed write, the outage ends without a commit if no write fails for two waits", () => {
  const { outages, lines, advance } = create();
  outages.failed(error, "write", 90);
  outages.readSucceeded(advance(2 * WAIT_MS));
  expect(lines).toEqual(["database lost"]);
  outages.readSucceeded(advance(2 * WAIT_MS));
  expect(lines).toEqual(["database lost", "database back"]);
});
