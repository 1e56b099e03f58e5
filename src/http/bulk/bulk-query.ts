import {
  type BulkFormat,
  bulkFormats,
  conflictActions,
  defaultImportOptions,
  type ImportOptions,
  matchFields,
} from "../../contract/bulk/bulk.ts";
import { mediaTypes } from "../../contract/operation.ts";
import type { FieldError } from "../../contract/problems.ts";
import { FIELD_NAME_PATTERN } from "../../contract/user.ts";
import type { ListQuery } from "../../domain/lists/listing.ts";
import { parseListQuery } from "../query/list-query.ts";
import { invalidQuery } from "../query/query-string.ts";

const fieldName = new RegExp(FIELD_NAME_PATTERN);
const PAGING = ["limit", "after", "offset", "count"];

/** The media type that the parameter `format` names; undefined without the parameter. Throws `invalid-query`. */
export function readFormat(queryString: string): string | undefined {
  const values = new URLSearchParams(queryString).getAll("format");
  if (values.length === 0) return undefined;
  const format = bulkFormats.find((name) => name === values[0]);
  if (values.length > 1 || format === undefined) {
    const detail = values.length > 1 ? "Send this parameter once." : `Enter ${bulkFormats.join(" or ")}.`;
    throw invalidQuery([{ parameter: "format", detail }]);
  }
  return mediaTypes[format satisfies BulkFormat];
}

/** The users to export. The same parameters as a list, except those of pages. Throws `invalid-query`. */
export function parseExportQuery(queryString: string): ListQuery {
  const parameters = new URLSearchParams(queryString);
  const errors = PAGING.filter((parameter) => parameters.has(parameter)).map(
    (parameter): FieldError => ({ parameter, detail: "An export is not paged. Remove this parameter." }),
  );
  if (errors.length > 0) throw invalidQuery(errors);
  const pairs = queryString.split("&").filter((pair) => !new URLSearchParams(pair).has("format"));
  return parseListQuery(pairs.join("&"));
}

/** The parameters of an import, except `format`. */
export interface ImportQuery extends ImportOptions {
  readonly dryRun: boolean;
}

/** Throws `invalid-query` with every error. */
export function parseImportQuery(queryString: string): ImportQuery {
  const parameters = new URLSearchParams(queryString);
  const errors: FieldError[] = [];
  const choose = <T extends string>(parameter: string, choices: readonly T[], defaultChoice: T): T => {
    const [value, ...more] = parameters.getAll(parameter);
    if (value === undefined) return defaultChoice;
    const choice = choices.find((name) => name === value);
    if (choice !== undefined && more.length === 0) return choice;
    const detail = more.length > 0 ? "Send this parameter once." : `Enter ${choices.join(" or ")}.`;
    errors.push({ parameter, detail });
    return defaultChoice;
  };
  const { onConflict, match } = defaultImportOptions;
  const query = {
    onConflict: choose("onConflict", conflictActions, onConflict),
    match: readMatch(parameters, match, errors),
    dryRun: choose("dryRun", ["true", "false"], "false") === "true",
  };
  if (errors.length > 0) throw invalidQuery(errors);
  return query;
}

/** Whether a custom field is unique is not known yet. */
function readMatch(parameters: URLSearchParams, defaultMatch: string, errors: FieldError[]): string {
  const [value = defaultMatch, ...more] = parameters.getAll("match");
  if (more.length > 0) errors.push({ parameter: "match", detail: "Send this parameter once." });
  else if (!fieldName.test(value)) errors.push(invalidMatch());
  return value;
}

export function invalidMatch(): FieldError {
  const detail = `Enter ${matchFields.join(", ")} or a field that is unique in the schema.`;
  return { parameter: "match", detail };
}

/** An unknown parameter may be a mistyped one, and an import cannot be undone. Throws `invalid-query`. */
export function rejectUnknownParameters(queryString: string, known: readonly string[]): void {
  const unknown = [...new Set(new URLSearchParams(queryString).keys())].filter(
    (parameter) => !known.includes(parameter),
  );
  if (unknown.length === 0) return;
  const detail = `Unknown parameter. Use ${known.join(", ")}.`;
  throw invalidQuery(unknown.map((parameter) => ({ parameter, detail })));
}
