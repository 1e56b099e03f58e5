import type { Json, JsonObject } from "../../contract/json.ts";
import type { scimUserOperations } from "../../contract/scim/scim-operations.ts";
import type { IdList } from "../../domain/groups/id-list.ts";
import { andThen, type MaybePromise } from "../../domain/maybe-promise.ts";
import type { Precondition } from "../../domain/precondition.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import type { ResourceKind } from "../../scim/attributes.ts";
import { createDocumentView, type DocumentView } from "../../scim/projection.ts";
import type { RequestContext } from "../request-context.ts";
import { emptyResponse } from "../responses.ts";
import type { Router } from "../router.ts";
import { locateFor, type ScimParts } from "./scim-parts.ts";
import { readScimQuery } from "./scim-query.ts";
import { formatWeakEtag, unchangedResponse } from "./scim-response.ts";

/** The resource that a write changes. */
interface Target {
  readonly id: number;
  readonly precondition: Precondition | undefined;
}

/** The same as a request names it. */
interface TargetInput extends Omit<Target, "id"> {
  readonly id: string;
}

/** The body of a write. */
export interface SentBody {
  readonly json: unknown;
  /** The members of a group that the JSON has not, by the empty lists that it has instead. */
  readonly memberIds?: ReadonlyMap<Json | undefined, IdList>;
}

/** What to respond with, and how. */
export interface Shown {
  readonly status: 200 | 201;
  readonly record: StoredRecord;
  readonly view: DocumentView;
  readonly headers: Record<string, string>;
}

/** What SCIM does with resources of one type. Methods throw a `ProblemError` if they fail. */
export interface ScimResources {
  readonly kind: ResourceKind;
  readonly operations: typeof scimUserOperations;
  /** The id of the record, from that of the resource, and the other way round. */
  parseId(text: string): number;
  formatId(id: number): string;
  /** The largest body of a write. */
  readonly maxBytes: number;
  readBody(context: RequestContext): Promise<SentBody>;
  read(id: number, precondition: Precondition | undefined): MaybePromise<StoredRecord>;
  create(context: RequestContext, body: SentBody): Promise<StoredRecord>;
  replace(context: RequestContext, target: Target, body: SentBody): Promise<StoredRecord>;
  update(context: RequestContext, target: Target, body: SentBody): Promise<StoredRecord>;
  remove(context: RequestContext, target: Target): Promise<void>;
  /** Responds with what the caller may see and wants to see. */
  show(context: RequestContext, shown: Shown): MaybePromise<Response>;
  /** Whether the response to a PATCH has the resource. */
  showsAfterUpdate(parameters: ViewParameters): boolean;
}

/** The query parameters that choose the attributes of a response. */
type ViewParameters = { readonly attributes?: string; readonly excludedAttributes?: string };

function readViewParameters(queryString: string): ViewParameters {
  return queryString === "" ? NONE : readScimQuery(queryString, ["attributes", "excludedAttributes"]);
}

const NONE: ViewParameters = {};

/** Registers the operations on resources of one type. */
export function serveResources(router: Router, resources: ScimResources, parts: ScimParts): void {
  const { kind, operations } = resources;
  const whole = createDocumentView(kind, undefined, undefined);
  const createView = ({ attributes, excludedAttributes }: ViewParameters) =>
    attributes === undefined && excludedAttributes === undefined
      ? whole
      : createDocumentView(kind, attributes, excludedAttributes);
  const targetOf = ({ id, precondition }: TargetInput) => ({ id: resources.parseId(id), precondition });

  router.serve(operations.create, async (context, { queryString }) => {
    const view = createView(readViewParameters(queryString));
    const record = await resources.create(context, await resources.readBody(context));
    const location = locateFor(context, parts)(`${kind.endpoint}/${resources.formatId(record.id)}`);
    return resources.show(context, { status: 201, record, view, headers: { location } });
  });

  router.serve(operations.read, (context, { id, queryString, precondition, ifNoneMatch }) => {
    const view = createView(readViewParameters(queryString));
    return andThen(
      resources.read(resources.parseId(id), precondition),
      (record) =>
        unchangedResponse(context, record, ifNoneMatch) ??
        resources.show(context, { status: 200, record, view, headers: {} }),
    );
  });

  router.serve(operations.replace, async (context, { queryString, ...input }) => {
    const view = createView(readViewParameters(queryString));
    const body = await resources.readBody(context);
    const record = await resources.replace(context, targetOf(input), body);
    return resources.show(context, { status: 200, record, view, headers: {} });
  });

  router.serve(operations.update, async (context, { queryString, ...input }) => {
    const parameters = readViewParameters(queryString);
    const view = createView(parameters);
    const body = await resources.readBody(context);
    const record = await resources.update(context, targetOf(input), body);
    return resources.showsAfterUpdate(parameters)
      ? resources.show(context, { status: 200, record, view, headers: {} })
      : emptyResponse(context, 204, { etag: formatWeakEtag(record) });
  });

  router.serve(operations.remove, async (context, input) => {
    await resources.remove(context, targetOf(input));
    return emptyResponse(context, 204);
  });
}

/** The JSON of a record. */
export function parseRecord({ json }: Pick<StoredRecord, "json">): JsonObject {
  const record: JsonObject = JSON.parse(json);
  return record;
}
