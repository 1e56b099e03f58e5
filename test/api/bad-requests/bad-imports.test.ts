import { afterAll, beforeAll, describe, setDefaultTimeout, test } from "bun:test";
import { CSV, NDJSON } from "../../support/bulk-requests.ts";
import { onAnyEngine } from "../../support/engines.ts";
import { startService, type TestService } from "../../support/service.ts";
import {
  createWideUsers,
  exportWideUsers,
  heavyBulkChanges,
  heavyImports,
  importEmptyLines,
  sendBulkChange,
  sendImport,
} from "./heavy-requests.ts";

setDefaultTimeout(60_000);

onAnyEngine((engine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({}, engine);
  });
  afterAll(() => service.stop());

  describe("An export of users with a thousand columns is complete", () => {
    beforeAll(() => createWideUsers(service));

    test.each([CSV, NDJSON])("%s", (accept) => exportWideUsers(service, accept));
  });

  test.each(heavyBulkChanges)("A bulk change with much work per byte: %s", (_, body, status) =>
    sendBulkChange(service, body, status),
  );

  describe("An import with much work per byte", () => {
    test.each([...heavyImports])("$type of $name", (each) => sendImport(service, each));

    test.each([NDJSON, CSV])("16 imports of empty lines at the same time, as %s", (type) =>
      importEmptyLines(service, type),
    );
  });
});
