import { describeApi } from "../../src/contract/openapi.ts";

/** The parts of the OpenAPI description that tests use, with each reference to a shared part replaced by that part. */
interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
}
interface DescribedOperation {
  operationId: string;
  parameters: { name: string; in: string; schema: object }[];
  requestBody?: DescribedBody;
  responses: Record<
    string,
    DescribedBody & { headers: Record<string, { required: boolean; schema: object }> }
  >;
}
interface DescribedBody {
  content?: Record<string, { schema: object; examples: Record<string, { value: unknown }> }>;
}

/** The description as served. */
export const api: unknown = JSON.parse(JSON.stringify(describeApi("1.2.3")));
/** Schemas keep their references to other schemas, as `api#/components/schemas/…`. */
export const { paths } = resolve(api, api) as Description;
/** The description that `roster openapi --brief` prints. */
export const briefApi: unknown = JSON.parse(JSON.stringify(describeApi("1.2.3", undefined, { brief: true })));
export const { paths: briefPaths } = resolve(briefApi, briefApi) as Description;

function resolve(value: unknown, whole: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, whole));
  if (typeof value !== "object" || value === null) return value;
  if (!("$ref" in value) || typeof value.$ref !== "string") {
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member, whole)]));
  }
  if (value.$ref.startsWith("#/components/schemas/")) return { ...value, $ref: `api${value.$ref}` };
  return resolve(value.$ref.slice(2).split("/").reduce(memberOf, whole), whole);
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) throw new Error(`Nothing is called ${name}.`);
  return Object.entries(value).find(([member]) => member === name)?.[1];
}
