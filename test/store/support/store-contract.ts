import { deletedContract } from "./deleted-contract.ts";
import { deliveryContract } from "./delivery-contract.ts";
import { eventContract } from "./event-contract.ts";
import { expressionContract } from "./expression-contract.ts";
import { fieldContract } from "./field-contract.ts";
import { listContract } from "./list-contract.ts";
import type { OpenStore } from "./store-under-test.ts";
import { valueContract } from "./value-contract.ts";
import { webhookContract } from "./webhook-contract.ts";
import { writeContract } from "./write-contract.ts";

/** What every engine must do. The test file of each engine calls this. */
export function storeContract(engine: string, open: OpenStore): void {
  writeContract(engine, open);
  deletedContract(engine, open);
  valueContract(engine, open);
  listContract(engine, open);
  fieldContract(engine, open);
  eventContract(engine, open);
  webhookContract(engine, open);
  deliveryContract(engine, open);
  expressionContract(engine, open);
}
