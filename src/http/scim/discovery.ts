import { messageUrns } from "../../contract/scim/scim.ts";
import { scimDiscoveryOperations } from "../../contract/scim/scim-operations.ts";
import { ProblemError } from "../../domain/problem-error.ts";
import { parseStoredSchema } from "../../domain/schema/parse-schema.ts";
import { groupKind, userKind } from "../../scim/attributes.ts";
import type { RequestContext } from "../request-context.ts";
import type { Router } from "../router.ts";
import {
  configDocument,
  type DescribedSchema,
  describeCustomFields,
  knownSchemas,
  resourceTypeDocument,
  schemaDocument,
} from "./discovery-documents.ts";
import { locateFor, type ScimParts } from "./scim-parts.ts";
import { scimResponse } from "./scim-response.ts";

/** Registers what the service says about itself. */
export function serveDiscovery(router: Router, parts: ScimParts): void {
  const { config, resourceTypes, resourceType, schemas, schema } = scimDiscoveryOperations;

  /** The custom fields that the schema defines, for callers that may know which fields users have. */
  const findCustomFields = async (context: RequestContext): Promise<DescribedSchema | undefined> => {
    if (!(await parts.mayReadUsers(context))) return undefined;
    const { json } = await parts.schemas.current();
    return json === "{}" ? undefined : describeCustomFields(parseStoredSchema(json));
  };
  const listSchemas = async (context: RequestContext) => {
    const custom = await findCustomFields(context);
    return custom ? [...knownSchemas, custom] : knownSchemas;
  };
  const listResourceTypes = async (context: RequestContext) => {
    const locate = locateFor(context, parts);
    const custom = await findCustomFields(context);
    return [
      resourceTypeDocument(userKind, custom, locate),
      resourceTypeDocument(groupKind, undefined, locate),
    ];
  };

  router.serve(config, (context) =>
    scimResponse(
      context,
      200,
      configDocument(parts.links.locate(context, "/docs"), locateFor(context, parts)),
    ),
  );
  router.serve(resourceTypes, async (context) =>
    scimResponse(context, 200, listDocument(await listResourceTypes(context))),
  );
  router.serve(resourceType, async (context, { id }) => {
    const types = await listResourceTypes(context);
    return scimResponse(context, 200, find(types, id, "resource type"));
  });
  router.serve(schemas, async (context) => {
    const locate = locateFor(context, parts);
    const documents = (await listSchemas(context)).map((each) => schemaDocument(each, locate));
    return scimResponse(context, 200, listDocument(documents));
  });
  router.serve(schema, async (context, { id }) =>
    scimResponse(
      context,
      200,
      schemaDocument(find(await listSchemas(context), id, "schema"), locateFor(context, parts)),
    ),
  );
}

/** URNs and names of resource types match in any case, as paths do. */
function find<Item extends { readonly id: string }>(items: readonly Item[], id: string, kind: string): Item {
  const found = items.find((item) => item.id.toLowerCase() === id.toLowerCase());
  if (!found) throw new ProblemError("not-found", `There is no ${kind} with this id.`);
  return found;
}

/** All items on one page. */
function listDocument(items: readonly object[]): object {
  return {
    schemas: [messageUrns.list],
    totalResults: items.length,
    itemsPerPage: items.length,
    startIndex: 1,
    Resources: items,
  };
}
