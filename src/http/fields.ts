import { operations } from "../contract/operations.ts";
import { requestCosts } from "../contract/request-costs.ts";
import { andThen, type MaybePromise } from "../domain/maybe-promise.ts";
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

  router.serve(listFieldValues, (context, { name, prefix, counts }) => {
    if (counts) limits.charge(context, requestCosts.countedValues);
    const owner = limits.findOwner(context);
    const finding: MaybePromise<readonly unknown[]> = counts
      ? fields.countValues(name, prefix, owner)
      : fields.listValues(name, prefix, owner);
    return andThen(finding, (found) =>
      links.respondWithPage(context, listFieldValues, { body: Buffer.from(JSON.stringify(found)) }),
    );
  });
}
