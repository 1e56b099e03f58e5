/**
 * CPU time of a create with 20 custom fields, with and without a schema, on both engines; and of TypeBox and Ajv for compiling the
 * schema and checking users.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Compile } from "typebox/schema";
import { parseDatabase } from "../src/config/database-url.ts";
import type { UserRecord } from "../src/contract/users/user.ts";
import { anonymousOrigin } from "../src/domain/caller.ts";
import { CompiledSchema } from "../src/domain/schema/compiled-schema.ts";
import { formatTests } from "../src/domain/schema/formats.ts";
import { parseSchema } from "../src/domain/schema/parse-schema.ts";
import type { Store } from "../src/domain/store.ts";
import { defaultRecordRules } from "../src/domain/users/record-rules.ts";
import { openStore } from "../src/store/open-store.ts";
import { BenchPostgres } from "./support/bench-postgres.ts";
import { readOptions } from "./support/options.ts";
import { readTreeCpuSeconds } from "./support/process-usage.ts";
import { interleave } from "./support/rounds.ts";
import { ScratchFolder } from "./support/scratch-folder.ts";
import { median } from "./support/statistics.ts";
import { print, verdict } from "./support/table.ts";

const TARGET = 1.15;
const BATCH = 64;
const WARM_UP_BATCHES = 60;

const { numbers, json } = readOptions({ rounds: 30, batches: 20, checks: 20_000 });
const { rounds, batches, checks } = numbers;

const kinds = [
  {
    schema: { type: "string", pattern: "^[A-Z]{2}-\\d{4,6}$" },
    value: (n: number) => `AB-${10_000 + (n % 90_000)}`,
  },
  { schema: { type: "string", pattern: "^[a-z]+(?:-[a-z]+)*$" }, value: () => "north-west" },
  { schema: { type: "string", minLength: 1, maxLength: 100 }, value: (n: number) => `Text ${n % 1000}` },
  { schema: { type: "integer", minimum: 0, maximum: 1_000_000 }, value: (n: number) => n % 1000 },
];
const fields = Array.from({ length: 20 }, (_, index) => {
  // Of 20 fields, 10 have a pattern.
  const { schema, value } = kinds[index % kinds.length] ?? { schema: true, value: () => 0 };
  return { name: `field${index}`, schema, value };
});
const schema = {
  type: "object",
  properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
  required: ["field0", "field1"],
  additionalProperties: false,
};

function sampleFields(number: number): { [field: string]: string | number } {
  return Object.fromEntries(fields.map(({ name, value }) => [name, value(number)]));
}

/** A store with or without the schema, and the users that it has. */
interface Subject {
  readonly engine: string;
  readonly name: string;
  readonly store: Store;
  /** CPU time of another process that works for the store, in seconds. */
  readonly serverSeconds: () => number;
  users: number;
}

async function open(
  engine: string,
  url: string,
  withSchema: boolean,
  serverSeconds: () => number,
): Promise<Subject> {
  const options = {
    ...{ batch: 512, queue: 10_000, waitMs: 60_000, recordRules: defaultRecordRules },
    ...{ pool: 3, dedicatedSessions: true, migrate: true },
  };
  const store = await openStore(parseDatabase(url), options, { committed: () => {} });
  if (withSchema) await store.schema.put(JSON.stringify(schema), anonymousOrigin, undefined);
  return { engine, name: withSchema ? "with a schema" : "without a schema", store, serverSeconds, users: 0 };
}

async function create(subject: Subject): Promise<void> {
  const first = subject.users;
  subject.users += BATCH;
  await Promise.all(
    Array.from({ length: BATCH }, (_, index) => {
      const number = first + index;
      const record: UserRecord = {
        name: `Person ${number}`,
        email: `person${number}@example.com`,
        ...sampleFields(number),
      };
      return subject.store.users.create({ record });
    }),
  );
}

/** Returns the CPU time per create, in microseconds. */
async function measureCreates(subject: Subject): Promise<number> {
  const server = subject.serverSeconds();
  const before = process.cpuUsage();
  for (let batch = 0; batch < batches; batch++) await create(subject);
  const { user, system } = process.cpuUsage(before);
  return (user + system + (subject.serverSeconds() - server) * 1e6) / (batches * BATCH);
}

/** Returns the CPU time of one call, in microseconds: the median of the rounds. */
function timeCalls(calls: number, call: (index: number) => unknown): number {
  const times = Array.from({ length: 11 }, () => {
    const before = process.cpuUsage();
    for (let index = 0; index < calls; index++) call(index);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / calls;
  });
  return median(times);
}

function compareValidators() {
  const samples = Array.from({ length: 1000 }, (_, number) => sampleFields(number));
  const records = samples.map((sample): UserRecord => ({ name: "Ada", ...sample }));
  const at = <T>(list: readonly T[], index: number) => list[index % list.length];
  const typebox = Compile(schema);
  const ajv = new Ajv2020({ formats: formatTests }).compile(schema);
  const roster = new CompiledSchema(parseSchema(schema));
  const invalid = { ...samples[0], field19: -1 };
  const compiled = (validator: { check: (value: unknown) => boolean }) => {
    if (!validator.check(samples[0]) || validator.check(invalid)) throw new Error("A validator is wrong.");
  };
  compiled({ check: (value) => typebox.Check(value) });
  compiled({ check: (value) => ajv(value) });
  return [
    {
      name: "TypeBox, the whole schema",
      compile: timeCalls(20, () => Compile(schema).Check(samples[0])),
      check: timeCalls(checks, (index) => typebox.Check(at(samples, index))),
    },
    {
      name: "Ajv, the whole schema",
      compile: timeCalls(20, () => new Ajv2020({ formats: formatTests }).compile(schema)(samples[0])),
      check: timeCalls(checks, (index) => ajv(at(samples, index))),
    },
    {
      name: "Roster, field by field",
      compile: timeCalls(20, () => new CompiledSchema(parseSchema(schema)).check(records[0] ?? { name: "" })),
      check: timeCalls(checks, (index) => roster.check(at(records, index) ?? { name: "" })),
    },
  ];
}

using folder = new ScratchFolder();
await using postgres = await BenchPostgres.start();
const postgresSeconds = () => readTreeCpuSeconds(postgres.server.pid);
const subjects: Subject[] = [];
for (const withSchema of [false, true]) {
  const name = withSchema ? "roster_with" : "roster_without";
  subjects.push(await open("SQLite", folder.file(`${name}.db`), withSchema, () => 0));
  await postgres.query(`CREATE DATABASE ${name}`);
  subjects.push(await open("PostgreSQL", postgres.url(name), withSchema, postgresSeconds));
}
try {
  for (const subject of subjects) {
    for (let batch = 0; batch < WARM_UP_BATCHES; batch++) await create(subject);
  }
  const results = await interleave(subjects, rounds, measureCreates);
  const creates = ["SQLite", "PostgreSQL"].map((engine) => {
    const [without = Number.NaN, withSchema = Number.NaN] = subjects
      .filter((subject) => subject.engine === engine)
      .map((subject) => median(results.get(subject) ?? []));
    return { engine, without, withSchema, ratio: withSchema / without };
  });
  const validators = compareValidators();
  const met = creates.every(({ ratio }) => ratio <= TARGET);
  print(json, { rounds, batches, creates, target: TARGET, met, validators }, [
    ["µs of CPU time per create", "without", "with a schema", "×", "target", ""],
    ...creates.map(({ engine, without, withSchema, ratio }) => [
      engine,
      without.toFixed(1),
      withSchema.toFixed(1),
      ratio.toFixed(3),
      `≤ ${TARGET}`,
      verdict(ratio <= TARGET),
    ]),
    ["µs of CPU time", "compile", "check", "", "", ""],
    ...validators.map(({ name, compile, check }) => [name, compile.toFixed(0), check.toFixed(2), "", "", ""]),
  ]);
} finally {
  for (const { store } of subjects) await store.close();
}
