import { isObject, type Json, type JsonObject } from "../../contract/json.ts";
import type { Operation } from "../../contract/operation.ts";
import { messageUrns, scimLimits } from "../../contract/scim/scim.ts";
import { scimSharedOperations } from "../../contract/scim/scim-operations.ts";
import { type LongPath, parseLongJson } from "../../domain/parse-long-json.ts";
import { isProblem, ProblemError } from "../../domain/problem-error.ts";
import type { StoredRecord } from "../../domain/records/record.ts";
import { runInTurns, type Steps } from "../../domain/scheduling/steps.ts";
import { MEMBERS } from "../../scim/normalize.ts";
import { ScimError } from "../../scim/scim-error.ts";
import { requireAccess } from "../access/require-scope.ts";
import { parseMatch } from "../query/headers.ts";
import type { RequestContext } from "../request-context.ts";
import type { Router } from "../router.ts";
import { BulkReferences, parseReference } from "./bulk-references.ts";
import {
  type BulkOperation,
  type BulkRequest,
  parseBulkOperation,
  parseBulkRequest,
  readMember,
} from "./bulk-request.ts";
import type { ScimResources, SentBody } from "./resources.ts";
import { type ScimErrorDocument, scimErrorDocument } from "./scim-error-response.ts";
import { giveWay, type Locate, locateFor, type ScimParts, turnOf } from "./scim-parts.ts";
import { formatWeakEtag, scimResponse } from "./scim-response.ts";

/** Registers bulk requests: many operations on these resources. */
export function serveScimBulk(router: Router, resources: readonly ScimResources[], parts: ScimParts): void {
  const { bulk } = scimSharedOperations;
  router.serve(bulk, async (context) => {
    const bytes = await parts.bodyReader.read(context, scimLimits.bulkBytes);
    const body = await parseLongJson(bytes, {
      isLong: isLongInBulk,
      maxOtherBytes: parts.bodyReader.maxBytes,
      invalid: bulk.request.invalid,
    });
    const request = parseBulkRequest(body);
    parts.limits.charge(context, request.operations.length);
    const run = new BulkRun(context, { request, resources, parts });
    return scimResponse(context, 200, {
      schemas: [messageUrns.bulkResponse],
      Operations: await run.finish(),
    });
  });
}

/** Whether the list at this path may be long: the operations, and the members of the group that one of them sends. */
function isLongInBulk(path: LongPath): boolean {
  const [operations, , data, members] = path.map((name) => String(name).toLowerCase());
  if (operations !== "operations") return false;
  return path.length === 1 || (path.length === 4 && data === "data" && members === MEMBERS);
}

/** The outcome of an operation, as the response shows it. */
interface Outcome {
  location?: string;
  method?: string;
  bulkId?: string;
  version?: string;
  status: string;
  response?: ScimErrorDocument;
}

interface BulkRunParts {
  readonly request: BulkRequest;
  readonly resources: readonly ScimResources[];
  readonly parts: ScimParts;
}

/** A resource that was created without what refers to others, because these refer to it. */
interface Incomplete {
  readonly index: number;
  readonly resources: ScimResources;
  readonly id: number;
  readonly referring: JsonObject;
  readonly references: ReadonlySet<string>;
}

/**
 * Runs the operations of a bulk request in order. What an operation refers to is created before it. If two refer to each other, one of
 * them is created without the reference, and completed when there is the other.
 */
class BulkRun {
  readonly #context: RequestContext;
  readonly #request: BulkRequest;
  readonly #resources: readonly ScimResources[];
  readonly #parts: ScimParts;
  readonly #locate: Locate;
  readonly #outcomes: (Outcome | undefined)[];
  readonly #running = new Set<number>();
  /** The operation that creates what a `bulkId` stands for. */
  readonly #creators = new Map<string, number>();
  /** The ids of what has been created. */
  readonly #ids = new Map<string, string>();
  readonly #references = new BulkReferences();
  readonly #incomplete: Incomplete[] = [];
  #errors = 0;
  #begun = 0;
  /** Set when the database does not respond: to wait for it again for each operation would take too long. */
  #outage: ProblemError | undefined;

  constructor(context: RequestContext, { request, resources, parts }: BulkRunParts) {
    this.#context = context;
    this.#request = request;
    this.#resources = resources;
    this.#parts = parts;
    this.#locate = locateFor(context, parts);
    this.#outcomes = request.operations.map(() => undefined);
    for (const [index, operation] of request.operations.entries()) {
      const bulkId = readMember(operation, "bulkId");
      const isCreator = String(readMember(operation, "method")).toUpperCase() === "POST";
      if (isCreator && typeof bulkId === "string" && !this.#creators.has(bulkId)) {
        this.#creators.set(bulkId, index);
      }
    }
  }

  /** The outcomes of the operations that have begun, in the order of the request. */
  async finish(): Promise<Outcome[]> {
    for (const index of this.#request.operations.keys()) {
      if (this.#isOver) break;
      await this.#run(index);
      for (const incomplete of this.#incomplete.splice(0)) await this.#complete(incomplete);
    }
    return this.#outcomes.filter((outcome) => outcome !== undefined);
  }

  get #isOver(): boolean {
    return this.#errors >= this.#request.failOnErrors || this.#context.request.signal.aborted;
  }

  /** Runs an operation, unless it has begun. */
  async #run(index: number): Promise<void> {
    const sent = this.#request.operations[index];
    if (!sent || this.#outcomes[index] || this.#running.has(index)) return;
    this.#running.add(index);
    // Operations that fail wait for nothing else.
    await giveWay(this.#context, this.#parts);
    const [method, bulkId] = [readMember(sent, "method"), readMember(sent, "bulkId")];
    const outcome: Outcome = {
      ...(typeof method === "string" && { method: method.toUpperCase() }),
      ...(typeof bulkId === "string" && { bulkId }),
      status: "",
    };
    try {
      await this.#apply(index, parseBulkOperation(sent), outcome);
    } catch (error) {
      this.#fail(outcome, error);
    }
    this.#outcomes[index] = outcome;
    this.#running.delete(index);
  }

  #runInTurns<T>(steps: Steps<T>): Promise<T> {
    return runInTurns(steps, turnOf(this.#context, this.#parts));
  }

  #fail(outcome: Outcome, error: unknown): void {
    if (!(error instanceof ProblemError)) throw error;
    if (isProblem(error, "unavailable")) this.#outage = error;
    const response = scimErrorDocument(error);
    Object.assign(outcome, { status: response.status, response });
    this.#errors++;
  }

  async #apply(index: number, operation: BulkOperation, outcome: Outcome): Promise<void> {
    const { method, bulkId, endpoint, data = null } = operation;
    const resources = this.#resources.find(({ kind }) => kind.endpoint.toLowerCase() === `/${endpoint}`);
    if (!resources) throw new ProblemError("not-found");
    await this.#admit(resources.operations[operationNames[method]]);
    if (method === "POST" && bulkId !== undefined && this.#creators.get(bulkId) !== index) {
      throw new ScimError("invalidValue", "bulkId: Another operation of the request has this bulkId.");
    }
    const cyclic = await this.#resolve(operation);
    const locate = (id: string) => this.#locate(`${resources.kind.endpoint}/${id}`);
    if (method === "POST") {
      const { rest, referring } =
        isObject(data) && cyclic.size > 0
          ? await this.#runInTurns(this.#references.split(data, cyclic))
          : { rest: data, referring: {} };
      const record = await resources.create(this.#context, await this.#bodyOf(resources, rest));
      const id = resources.formatId(record.id);
      if (bulkId !== undefined) this.#ids.set(bulkId, id);
      if (cyclic.size > 0)
        this.#incomplete.push({ index, resources, id: record.id, referring, references: cyclic });
      Object.assign(outcome, { location: locate(id), version: formatWeakEtag(record), status: "201" });
      return;
    }
    const id = this.#idOf(operation);
    outcome.location = locate(id);
    const changed = await this.#change(resources, operation, id);
    if (changed) outcome.version = formatWeakEtag(changed);
    outcome.status =
      method === "PUT" || (method === "PATCH" && resources.showsAfterUpdate({})) ? "200" : "204";
  }

  /** The record after the change; undefined if there is none any more. */
  async #change(
    resources: ScimResources,
    { method, version, data = null }: BulkOperation,
    text: string,
  ): Promise<StoredRecord | undefined> {
    const [parameter] = resources.operations.read.parameters;
    if (!parameter.accepts(text)) throw new ProblemError(parameter.notFound, parameter.correction);
    const precondition = version === undefined ? undefined : parseMatch(version);
    const target = { id: resources.parseId(text), precondition };
    if (method === "DELETE") {
      await resources.remove(this.#context, target);
      return undefined;
    }
    const body = await this.#bodyOf(resources, data);
    return method === "PUT"
      ? resources.replace(this.#context, target, body)
      : resources.update(this.#context, target, body);
  }

  /** An operation is admitted and counted like a request of its own. */
  async #admit(operation: Operation): Promise<void> {
    const context = this.#context;
    if (this.#outage) throw this.#outage;
    if (!(await this.#parts.isStillAdmitted(context)))
      throw new ProblemError("unauthenticated", "The key is not active any more.");
    requireAccess(context.caller, operation);
    // The request itself is the first one.
    if (this.#begun++ > 0) this.#parts.limits.countFurther(context);
  }

  /** Creates what an operation refers to. Returns the references to what is being created. */
  async #resolve({ id = "", data = null }: BulkOperation): Promise<ReadonlySet<string>> {
    const cyclic = new Set<string>();
    for (const reference of await this.#runInTurns(this.#references.list([id, data]))) {
      const creator = this.#creators.get(reference);
      if (creator !== undefined && !this.#isOver) await this.#run(creator);
      await giveWay(this.#context, this.#parts);
      if (this.#ids.has(reference)) continue;
      if (creator === undefined || !this.#running.has(creator)) throw unresolved(reference);
      cyclic.add(reference);
    }
    return cyclic;
  }

  /** Adds what a resource was created without. */
  async #complete({ index, resources, id, referring, references }: Incomplete): Promise<void> {
    const outcome = this.#outcomes[index];
    if (!outcome) return;
    try {
      for (const reference of references) if (!this.#ids.has(reference)) throw unresolved(reference);
      const json = { schemas: [messageUrns.patch], Operations: [{ op: "add", value: referring }] };
      const body = await this.#bodyOf(resources, json);
      const record = await resources.update(this.#context, { id, precondition: undefined }, body);
      outcome.version = formatWeakEtag(record);
    } catch (error) {
      this.#fail(outcome, error);
    }
  }

  #idOf({ id = "" }: BulkOperation): string {
    return this.#ids.get(parseReference(id) ?? "") ?? id;
  }

  /** The data of an operation, with ids in place of references. A user may not be larger than in a request of its own. */
  async #bodyOf({ maxBytes }: ScimResources, data: Json): Promise<SentBody> {
    if (maxBytes < scimLimits.bulkBytes && Buffer.byteLength(JSON.stringify(data)) > maxBytes)
      throw new ProblemError("too-large", `The data of this operation is larger than ${maxBytes} bytes.`);
    return { json: await this.#runInTurns(this.#references.resolve(data, this.#ids)) };
  }
}

const operationNames = { POST: "create", PUT: "replace", PATCH: "update", DELETE: "remove" } as const;

function unresolved(reference: string): ScimError {
  return new ScimError("invalidValue", `bulkId:${reference} is no resource that this request has created.`);
}
