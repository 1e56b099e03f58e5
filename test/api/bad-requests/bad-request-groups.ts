import { badChunks, badSizes, badTypes } from "./bad-bodies.ts";
import { accepts, badHosts, idempotencyKeys, preconditions } from "./bad-headers.ts";
import { badJson, badUtf8 } from "./bad-json.ts";
import { ids, paths, wrongMethods } from "./bad-paths.ts";
import { queries } from "./bad-queries.ts";
import { type BadRequest, withEveryMethod } from "./bad-request.ts";
import {
  badEmails,
  badFields,
  badForMethod,
  badNames,
  badValues,
  deepBodies,
  notObjects,
} from "./bad-users.ts";
import { badFraming, badHeaderLines, badRequestLines, type UnparsableRequest } from "./rejected-by-bun.ts";

/** Requests that get a problem. */
export const rejectedGroups: readonly (readonly [title: string, rows: readonly BadRequest[]])[] = [
  ["A body that is not UTF-8", withEveryMethod(badUtf8)],
  ["A body that is not JSON", withEveryMethod(badJson)],
  ["A body that is not an object", withEveryMethod(notObjects)],
  ["A deeply nested body", withEveryMethod(deepBodies)],
  ["A bad name", withEveryMethod(badNames)],
  ["A bad email", withEveryMethod(badEmails)],
  ["A bad field", withEveryMethod(badFields)],
  ["A bad value", withEveryMethod(badValues)],
  ["A body that is invalid for its method", badForMethod],
  ["A body of the wrong type", badTypes],
  ["A body that is too large", badSizes],
  ["An empty body or invalid chunks", badChunks],
  ["A bad id", ids],
  ["An unknown path", paths],
  ["A method that the path does not support", wrongMethods],
  ["A bad query", queries],
  ["A bad If-Match", preconditions],
  ["A bad Idempotency-Key", idempotencyKeys],
  ["A bad Accept", accepts],
  ["A bad Host", badHosts],
];

/** Requests that Bun's parser rejects. */
export const unparsableGroups: readonly (readonly [title: string, rows: readonly UnparsableRequest[]])[] = [
  ["A request line that Bun's parser rejects", badRequestLines],
  ["A header that Bun's parser rejects", badHeaderLines],
  ["A body whose length Bun's parser rejects", badFraming],
];
