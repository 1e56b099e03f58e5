import { operations } from "../contract/operations.ts";
import { andThen } from "../domain/maybe-promise.ts";
import type { Fields } from "../domain/users/fields.ts";
import type { CallerLimits } from "./access/caller-limits.ts";
import type { Links } from "./links.ts";
import type { Router } from "./router.ts";

/** Registers the handlers of custom fields. */
export function serveFields(router: Router, fields: Fields, links: Links, limits: CallerLimits): void {
  const { listFields, listFieldValues } = operations;

  router.serve(listFields, (context) =>
    andThen(fields.list(limits.findOwner(context)), (found) =>
      links.respondWithPage(context, listFields, { body: Buffer.from(JSON.stringify(found)) }),
    ),
  );

  router.serve(listFieldValues, (context, { name, prefix }) =>
    andThen(fields.listValues(name, prefix, limits.findOwner(context)), (found) =>
      links.respondWithPage(context, listFieldValues, { body: Buffer.from(JSON.stringify(found)) }),
    ),
  );
}
