import { expect, test } from "bun:test";
import { negotiateType } from "../../src/http/query/negotiation.ts";

const exportTypes = ["application/x-ndjson", "text/csv"];
const json = ["application/json"];

test.each<[accept: string | null, types: string[], chosen: string | undefined]>([
  [null, exportTypes, "application/x-ndjson"],
  ["", exportTypes, "application/x-ndjson"],
  ["*/*", exportTypes, "application/x-ndjson"],
  ["text/csv", exportTypes, "text/csv"],
  ["TEXT/CSV", exportTypes, "text/csv"],
  ["text/*", exportTypes, "text/csv"],
  ["text/*;q=0.1, application/*;q=0.2", exportTypes, "application/x-ndjson"],
  ["text/csv;q=0.5, application/x-ndjson;q=0.6", exportTypes, "application/x-ndjson"],
  ["text/csv, */*", exportTypes, "text/csv"],
  ["text/csv;q=0.9, */*", exportTypes, "application/x-ndjson"],
  ["application/x-ndjson;q=0, */*", exportTypes, "text/csv"],
  ["text/csv;q=0, text/*", exportTypes, undefined],
  ["*/*;q=0, text/csv", exportTypes, "text/csv"],
  ["text/*;q=0, */*", exportTypes, "application/x-ndjson"],
  ["application/x-ndjson;q=0.0, text/csv;q=0.000", exportTypes, undefined],
  ["text/csv;q=", exportTypes, undefined],
  ["text/csv;charset=utf-8", exportTypes, "text/csv"],
  ["text/csv;header=present;q=0, text/csv", exportTypes, "text/csv"],
  ['text/html;x=",text/csv,"', exportTypes, undefined],
  ['text/csv;x=";q=0"', exportTypes, "text/csv"],
  ['text/csv;x="', exportTypes, "text/csv"],
  ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", exportTypes, "application/x-ndjson"],
  ["application/problem+json", json, "application/json"],
  ["application/problem+json, text/html", json, "application/json"],
  ["application/problem+json;q=0", json, undefined],
  ["application/json;q=0, application/problem+json", json, undefined],
  ["*/*;q=0, application/problem+json", json, undefined],
  ["text/html", json, undefined],
  ["text/html", [], undefined],
  ["application/problem+json", [], undefined],
])("Accept: %s, of %j, chooses %s", (accept, types, chosen) => {
  expect(negotiateType(accept, types)).toBe(chosen);
});
