import { expect } from "bun:test";
import { isObject, type JsonObject } from "../../../../../src/contract/json.ts";
import { type Call, callAt } from "../../../../support/call.ts";
import { bearer } from "../../../../support/credentials.ts";

export const coreUser = "urn:ietf:params:scim:schemas:core:2.0:User";
export const coreGroup = "urn:ietf:params:scim:schemas:core:2.0:Group";
export const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

const PATCH_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:PatchOp";
const LIST_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:ListResponse";
const ERROR_SCHEMA = "urn:ietf:params:scim:api:messages:2.0:Error";
const BASE = "/scim/v2";

/** The body of a PATCH with these operations. */
export const patch = (...operations: readonly object[]) => ({
  schemas: [PATCH_SCHEMA],
  Operations: operations,
});

/** What a provisioning client sends in one step, and what it expects back. */
export interface Step {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly body?: string;
  /** Besides those of every request of the client. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Several if the outcome is a race. */
  readonly status: number | readonly number[];
  /** The whole resource without `schemas`, `id` and `meta`. */
  readonly shows?: object;
  /** A part of the response's body. */
  readonly includes?: object;
  /** The ids of the listed resources, in the order of the list. The list has only this page. */
  readonly finds?: readonly string[];
  /** Of an error; null for an error without one. */
  readonly scimType?: string | null;
}

/** A response that has passed the checks of every SCIM response. */
export class Answer {
  readonly #body: JsonObject | undefined;

  constructor(
    readonly status: number,
    readonly headers: Headers,
    body: JsonObject | undefined,
  ) {
    this.#body = body;
  }

  get body(): JsonObject {
    if (!this.#body) throw new Error("The response has no body.");
    return this.#body;
  }

  /** The id of the resource. */
  get id(): string {
    return readText(this.body, "id");
  }

  /** The version of the resource, as in its ETag. */
  get version(): string {
    const { meta } = this.body;
    return isObject(meta) ? readText(meta, "version") : "";
  }

  /** The resources of a list. */
  get resources(): readonly JsonObject[] {
    const { Resources } = this.body;
    if (!Array.isArray(Resources)) throw new Error("The response is no list.");
    return Resources.filter(isObject);
  }

  /** The ids of the resources of a list. */
  get ids(): readonly string[] {
    return this.resources.map((resource) => readText(resource, "id"));
  }

  get totalResults(): number {
    return Number(this.body.totalResults);
  }
}

/** Sends what an identity provider sends to the SCIM endpoints, one step after another, and checks each response. */
export class ProvisioningClient {
  readonly #call: Call;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `headers` come with every request. */
  constructor(url: string, key: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url + BASE;
    this.#call = callAt(this.#url, { redirect: "manual" });
    this.#headers = { "content-type": "application/scim+json", ...headers, ...bearer(key) };
  }

  /** Sends a request, such as `GET /Users/42`, and fails if the response is not as expected. */
  async send(request: string, step: Step): Promise<Answer> {
    const [method = "", ...path] = request.split(" ");
    const { json, body, headers } = step;
    const response = await this.#call(path.join(" "), {
      method,
      json,
      ...(body !== undefined && { body }),
      headers: { ...this.#headers, ...headers },
    });
    const text = await response.text();
    const failure = `${request} ${body ?? JSON.stringify(json) ?? ""}\n${response.status} ${text}`;
    expect([step.status].flat(), failure.slice(0, 4000)).toContain(response.status);
    const answer = new Answer(response.status, response.headers, this.#readBody(response, text));
    if (answer.status >= 400) checkError(answer, step.scimType);
    else if (text !== "") this.#checkSuccess(answer);
    checkStep(answer, step);
    return answer;
  }

  /** Sends a request again and again until it has been sent `times` times: each response is as expected. */
  async repeat(request: string, step: Step, times = 2): Promise<Answer> {
    const answer = await this.send(request, step);
    return times > 1 ? await this.repeat(request, step, times - 1) : answer;
  }

  #readBody({ headers }: Response, text: string): JsonObject | undefined {
    if (text === "") {
      expect(headers.get("content-type")).toBeNull();
      return undefined;
    }
    const expected =
      this.#headers.accept === "application/json" ? this.#headers.accept : "application/scim+json";
    expect(headers.get("content-type")?.split(";")[0]).toBe(expected);
    const body: unknown = JSON.parse(text);
    if (!isObject(body)) throw new Error(`The body is no object: ${text.slice(0, 300)}`);
    expectNothingUnassigned(body);
    return body;
  }

  #checkSuccess(answer: Answer): void {
    const { body, status, headers } = answer;
    if (Array.isArray(body.schemas) && body.schemas.includes(LIST_SCHEMA)) {
      expectToMatch(body, { totalResults: expect.any(Number), itemsPerPage: answer.resources.length });
      for (const resource of answer.resources) this.#checkResource(resource);
      return;
    }
    const { version, location } = this.#checkResource(body);
    if (status === 201) expect(headers.get("location")).toBe(location);
    if (version !== "") expect(headers.get("etag")).toBe(version);
  }

  /** Checks `schemas`, `id` and `meta`. */
  #checkResource(resource: JsonObject): { version: string; location: string } {
    const { meta, schemas } = resource;
    if (!isObject(meta)) return { version: "", location: "" };
    const { resourceType, location, version = "" } = meta;
    if (resourceType === "User" || resourceType === "Group") {
      expect(schemas).toContain(resourceType === "User" ? coreUser : coreGroup);
      expect(resource.id).toMatch(resourceType === "User" ? /^[1-9]\d*$/ : /^g[1-9]\d*$/);
      expect(location).toBe(`${this.#url}/${resourceType}s/${resource.id}`);
      expectToMatch(meta, {
        version: expect.stringMatching(/^W\/"\d+"$/),
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        lastModified: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      });
    }
    return { version: String(version), location: String(location) };
  }
}

function checkStep(answer: Answer, { shows, includes, finds }: Step): void {
  if (shows) {
    const { schemas: _schemas, id: _id, meta: _meta, ...attributes } = answer.body;
    expect<unknown>(attributes).toEqual(shows);
  }
  if (includes) expectToMatch(answer.body, includes);
  if (finds) {
    expect(answer.ids).toEqual(finds);
    expect(answer.totalResults).toBe(finds.length);
  }
}

/** Checks the error document (RFC 7644, section 3.12). */
function checkError({ body, status }: Answer, scimType: string | null | undefined): void {
  expectToMatch(body, {
    schemas: [ERROR_SCHEMA],
    status: String(status),
    detail: expect.stringMatching(/^.{1,2000}$/s),
  });
  if (scimType !== undefined) expect(body.scimType ?? null).toBe(scimType);
}

/** Bun writes the matchers of `expected` into the value that it compares. */
function expectToMatch(actual: object, expected: object): void {
  expect(structuredClone(actual)).toMatchObject(expected);
}

/** Entra and Okta expect no null values, and unassigned attributes do not exist (RFC 7643, section 2.5). */
function expectNothingUnassigned(value: unknown): void {
  expect(value).not.toBeNull();
  if (typeof value !== "object" || value === null) return;
  for (const member of Object.values(value)) expectNothingUnassigned(member);
}

function readText(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== "string")
    throw new Error(`There is no ${name}: ${JSON.stringify(object).slice(0, 300)}`);
  return value;
}
