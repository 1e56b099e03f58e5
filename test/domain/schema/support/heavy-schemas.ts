import type { Json } from "../../../../src/contract/json.ts";

function fields(count: number, schema: (i: number) => Json): { [name: string]: Json } {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, schema(i)]));
}

/** Schemas that take longest among those that fit into a body, and that are not valid. */
export const heavySchemas: Readonly<Record<string, { [name: string]: Json }>> = {
  "one pattern in 990 fields": {
    $defs: {
      a: {
        type: "string",
        maxLength: 10,
        pattern: "[^\\p{L}\\p{Lu}\\p{Ll}\\p{Script=Han}\\p{Script=Latin}]".padEnd(60, "a"),
      },
    },
    properties: { ...fields(990, () => ({ $ref: "#/$defs/a" })), last: { type: "text" } },
  },
  "110 long patterns": {
    properties: fields(110, (i) => ({ pattern: `(${"\\p{L}\\p{N}".repeat(40)}){200}${i}`, maxLength: 10 })),
  },
  "900 short patterns": {
    properties: {
      ...fields(900, (i) => ({ pattern: `^[a-z]{3}${i}$`, maxLength: 10 })),
      last: { type: "text" },
    },
  },
  "7,000 required fields": { required: [...Object.keys(fields(7000, () => true)), "email"] },
};
