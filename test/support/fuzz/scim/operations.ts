import type { Operation } from "../../../../src/contract/operation.ts";
import {
  scimDiscoveryOperations,
  scimGroupOperations,
  scimOperations,
  scimSelfOperations,
  scimSharedOperations,
  scimUserOperations,
} from "../../../../src/contract/scim/scim-operations.ts";
import { groupKind, type ResourceKind, userKind } from "../../../../src/scim/attributes.ts";
import type { Random } from "../random.ts";
import { bulkJson } from "./bulk.ts";
import { patchJson } from "./patches.ts";
import { searchJson } from "./queries.ts";
import { resourceJson } from "./resources.ts";

/** What a response that succeeds has. */
export type ScimAnswer = "User" | "Group" | "list" | "bulk" | "discovery" | "nothing";

/** What the fuzzer knows of an operation besides the contract. */
interface FuzzedOperation {
  readonly answer: ScimAnswer;
  readonly body?: (random: Random) => string;
}

type Row = readonly [operation: Operation, answer: ScimAnswer, body?: FuzzedOperation["body"]];

function onResources(operations: typeof scimUserOperations, kind: ResourceKind): readonly Row[] {
  const resource = (random: Random) => resourceJson(random, kind);
  return [
    [operations.list, "list"],
    [operations.search, "list", searchJson],
    [operations.create, kind.name, resource],
    [operations.read, kind.name],
    [operations.replace, kind.name, resource],
    [operations.update, kind.name, (random) => patchJson(random, kind)],
    [operations.remove, "nothing"],
  ];
}

const rows: readonly Row[] = [
  ...onResources(scimUserOperations, userKind),
  ...onResources(scimGroupOperations, groupKind),
  [scimSharedOperations.search, "list", searchJson],
  [scimSharedOperations.bulk, "bulk", bulkJson],
  [scimDiscoveryOperations.config, "discovery"],
  [scimDiscoveryOperations.resourceTypes, "list"],
  [scimDiscoveryOperations.resourceType, "discovery"],
  [scimDiscoveryOperations.schemas, "list"],
  [scimDiscoveryOperations.schema, "discovery"],
  ...scimSelfOperations.map((operation): Row => [operation, "nothing"]),
];

const known = new Map(rows.map(([{ id }, answer, body]) => [id, { answer, ...(body && { body }) }] as const));

/** What the fuzzer knows of an operation of SCIM. Fails if it knows nothing: add a row above. */
export function fuzzedOperation({ id, request }: Operation): FuzzedOperation {
  const operation = known.get(id);
  if (!operation) throw new Error(`The fuzzer does not know the operation ${id}.`);
  if (Boolean(request) !== Boolean(operation.body)) throw new Error(`The fuzzer needs a body for ${id}.`);
  return operation;
}

// Whoever adds an operation learns it from every test of the fuzzer.
for (const operation of scimOperations) fuzzedOperation(operation);
