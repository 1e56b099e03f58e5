import type { Engine } from "../../support/engines.ts";
import { computedChangeContract } from "./computed-change-contract.ts";
import { deletedContract } from "./deleted-contract.ts";
import { deliveryContract } from "./delivery-contract.ts";
import { eventBytesContract } from "./event-bytes-contract.ts";
import { eventContract } from "./event-contract.ts";
import { explainContract } from "./explain-contract.ts";
import { expressionContract } from "./expression-contract.ts";
import { fieldContract } from "./field-contract.ts";
import { groupContract } from "./group-contract.ts";
import { groupImportContract } from "./group-import-contract.ts";
import { groupListContract } from "./group-list-contract.ts";
import { keyContract } from "./key-contract.ts";
import { listContract } from "./list-contract.ts";
import { membershipContract } from "./membership-contract.ts";
import { retentionContract } from "./retention-contract.ts";
import { schemaContract } from "./schema-contract.ts";
import { statisticsContract } from "./statistics-contract.ts";
import { storeOpener } from "./store-under-test.ts";
import { userNameContract } from "./user-name-contract.ts";
import { valueContract } from "./value-contract.ts";
import { webhookContract } from "./webhook-contract.ts";
import { writeContract } from "./write-contract.ts";

const titles = { sqlite: "SQLite", postgres: "PostgreSQL" } as const satisfies Record<Engine, string>;

/** Every part of a store, by what it promises. */
const parts = [
  writeContract,
  deletedContract,
  valueContract,
  listContract,
  explainContract,
  fieldContract,
  expressionContract,
  statisticsContract,
  keyContract,
  eventContract,
  eventBytesContract,
  retentionContract,
  webhookContract,
  deliveryContract,
  schemaContract,
  userNameContract,
  groupContract,
  groupImportContract,
  groupListContract,
  membershipContract,
  computedChangeContract,
];

/** What every engine must do. The test file of each engine calls this. */
export function storeContract(engine: Engine): void {
  for (const contract of parts) contract(titles[engine], storeOpener(engine));
}
