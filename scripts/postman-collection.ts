/** Generates docs/examples/roster.postman_collection.json from the operations of the API. Postman, Bruno and Insomnia import it. */
import { join } from "node:path";
import { listRequestBodies, type Operation, type Parameter } from "../src/contract/operation.ts";
import { operations } from "../src/contract/operations.ts";

export const collectionPath = join(import.meta.dir, "../docs/examples/roster.postman_collection.json");

export function postmanCollection() {
  const all: readonly Operation[] = Object.values(operations);
  const tags = [...new Set(all.map(({ tag }) => tag))];
  return {
    info: {
      name: "Roster",
      description:
        "Set the variables baseUrl and apiKey. Leave apiKey empty for a service that needs no key. Generated from the API.",
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    variable: [
      { key: "baseUrl", value: "http://localhost:3000" },
      { key: "apiKey", value: "" },
    ],
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{apiKey}}", type: "string" }] },
    item: tags.map((tag) => ({
      name: tag,
      item: all.filter((operation) => operation.tag === tag).map(describeRequest),
    })),
  };
}

function describeRequest(operation: Operation) {
  const { method, path, summary, description, parameters, access } = operation;
  const [body] = listRequestBodies(operation);
  const segments = path
    .slice(1)
    .replaceAll(/\{(\w+)\}/g, ":$1")
    .split("/");
  const of = (place: Parameter["in"]) =>
    parameters.filter((parameter) => parameter.in === place && !parameter.explode);
  const example = Object.values(body?.examples ?? {})[0];
  return {
    name: summary,
    request: {
      method,
      description,
      ...(access === "public" && { auth: { type: "noauth" } }),
      header: [
        ...(body ? [{ key: "Content-Type", value: body.type }] : []),
        ...of("header").map(describeParameter),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.join("/")}`,
        host: ["{{baseUrl}}"],
        path: segments,
        query: of("query").map(describeParameter),
        variable: of("path").map(({ name, description: text, example: value }) => ({
          key: name,
          value: String(value ?? 1),
          description: text,
        })),
      },
      ...(body && {
        body: {
          mode: "raw",
          raw: typeof example === "string" ? example : JSON.stringify(example, null, 2),
          options: { raw: { language: body.type.endsWith("json") ? "json" : "text" } },
        },
      }),
    },
    response: [],
  };
}

/** Optional parameters are there, but switched off. */
function describeParameter({ name, description, example, schema, required }: Parameter) {
  const byDefault = "default" in schema ? schema.default : "";
  return {
    key: name,
    value: String(example ?? byDefault),
    description,
    ...(!required && { disabled: true }),
  };
}

export const collectionText = (): string => `${JSON.stringify(postmanCollection(), null, 2)}\n`;

if (import.meta.main) {
  await Bun.write(collectionPath, collectionText());
  console.log("docs/examples/roster.postman_collection.json is up to date.");
}
