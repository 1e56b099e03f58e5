import {
  type Comparison,
  comparisonRows,
  measureComparisons,
  type Subject,
} from "../request-costs/comparisons.ts";
import { readMemory } from "../support/process-usage.ts";
import { verdict } from "../support/table.ts";
import type { MeasuredService, ScimBench } from "./bench.ts";
import { patchOf } from "./scim-requests.ts";

const TARGETS = { ratio: 1.5, megabytes: 50 } as const;

/** Adds and removes single members of a large group, and reads the group. */
export const largeGroup: ScimBench = async ({ numbers, start }) => {
  const { members, requests, rounds } = numbers;
  await using service = await start(members + requests);
  const ids = Array.from({ length: members }, (_, index) => index + 1);
  const group = await service.caller.createGroup("All", ids);
  const outside = Array.from({ length: requests }, (_, index) => members + 1 + index);
  const comparisons = openComparisons(service, { group, outside, members });
  const figures = await measureComparisons(comparisons, rounds, service.startMeter);
  const reading = await measureReading(service, group);
  return {
    figures: { comparisons: figures, reading },
    rows: [
      ...comparisonRows(figures),
      [
        `memory while a group of ${members} members is read, MB`,
        ...[reading.megabytes.toFixed(0), "", ""],
        ...[`≤ ${TARGETS.megabytes}`, verdict(reading.megabytes <= TARGETS.megabytes)],
      ],
      [`its ${(reading.bytes / 2 ** 20).toFixed(0)} MB take, s`, reading.seconds.toFixed(1), "", "", "", ""],
    ],
  };
};

interface ChangedGroup {
  readonly group: number;
  /** Users that are added and removed. */
  readonly outside: readonly number[];
  readonly members: number;
}

function openComparisons(
  { caller, startMeter }: MeasuredService,
  { group, outside, members }: ChangedGroup,
): Comparison[] {
  const change = (body: object) => caller.send(`/api/groups/${group}/members`, "PATCH", body);
  const scim = (operation: object) => caller.send(`/scim/v2/Groups/g${group}`, "PATCH", patchOf(operation));
  /** Adds or removes each user with a request of its own. Only these requests are measured. */
  const each = (isAdding: boolean, name: string, send: (user: number) => Promise<unknown>): Subject => ({
    name,
    count: outside.length,
    async run() {
      if (!isAdding) await change({ add: outside });
      const stop = startMeter();
      for (const user of outside) await send(user);
      const micros = stop();
      if (isAdding) await change({ remove: outside });
      return micros;
    },
  });
  const path = (user: number) => `/api/groups/${group}/members/${user}`;
  const value = (user: number) => [{ $ref: null, value: String(user) }];
  return [
    {
      name: `PATCH that adds one member to ${members}, against PUT of the member`,
      subject: each(true, "add by PATCH", (user) => scim({ op: "Add", path: "members", value: value(user) })),
      base: each(true, "add by PUT", (user) => caller.send(path(user), "PUT")),
      target: TARGETS.ratio,
    },
    {
      name: `PATCH that removes one of ${members} members, against DELETE of the member`,
      subject: each(false, "remove by PATCH", (user) =>
        scim({ op: "Remove", path: "members", value: value(user) }),
      ),
      base: each(false, "remove by DELETE", (user) => caller.send(path(user), "DELETE")),
      target: TARGETS.ratio,
    },
  ];
}

/** How much the memory of the service grows while it sends a group with all its members, in MB. */
async function measureReading({ url, pid, key }: MeasuredService, group: number) {
  const read = async () => {
    const response = await fetch(`${url}/scim/v2/Groups/g${group}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    let bytes = 0;
    let highest = 0;
    for await (const part of response.body ?? []) {
      bytes += part.length;
      highest = Math.max(highest, readMemory(pid).anonymous);
    }
    return { bytes, highest };
  };
  await read();
  const before = readMemory(pid).anonymous;
  const start = performance.now();
  const { bytes, highest } = await read();
  return { bytes, megabytes: highest - before, seconds: (performance.now() - start) / 1000 };
}
