import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../../src/contract/user.ts";
import { SqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { storeContract } from "../store-contract.ts";

storeContract("SQLite", async (candidates) => {
  const folder = mkdtempSync(join(tmpdir(), "roster-store-"));
  const path = join(folder, "roster.db");
  const options = { path, batch: 512, queue: 10_000, waitMs: 5000, recordBytes: limits.recordBytes };
  const store = new SqliteStore(candidates ? { ...options, candidates } : options, { committed() {} });
  return {
    store,
    async destroy() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
