import { filterLimits, listLimits } from "../../contract/listing.ts";

/** Annotations of tools: what they do to the service. */
export const reads = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
export const adds = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
export const overwrites = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

export const after = {
  type: "string",
  description: "`next` of the previous page, with the same other arguments.",
};

export function limitOf({ standard, maximum }: { readonly standard: number; readonly maximum: number }) {
  return {
    type: "integer",
    minimum: 1,
    maximum,
    description: `At most this many, up to ${maximum}. Default: ${standard}.`,
  };
}

/** A search by words, a condition and an order. */
export const searchArguments = (about: {
  readonly q: string;
  readonly filter: string;
  readonly sort: string;
}) => ({
  q: { type: "string", maxLength: listLimits.searchCharacters, description: about.q },
  filter: { type: "string", maxLength: filterLimits.characters, description: about.filter },
  sort: { type: "string", maxLength: listLimits.sortCharacters, description: about.sort },
});

export const fieldsArgument = (examples: string) => ({
  type: "array",
  items: { type: "string" },
  maxItems: listLimits.fields,
  description: `Only these fields, such as ${examples}, for a shorter answer.`,
});

/** A group, by its id or its name. */
export const groupArgument = (description: string) => ({
  type: ["integer", "string"],
  minimum: 1,
  description,
});
