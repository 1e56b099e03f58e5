import { FileError } from "../../../src/console/import/file-text.ts";
import { guessTargets } from "../../../src/console/import/mapping.ts";
import { openSource } from "../../../src/console/import/open-source.ts";
import type { Row, Source } from "../../../src/console/import/source.ts";

export const open = (text: BlobPart, name = "people.csv") => openSource(new File([text], name));
export const guess = ({ columns }: Source) => guessTargets(columns.map(({ header }) => header));

export async function rowsOf(source: Source): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of source.read()) rows.push(...batch.rows);
  return rows;
}

/** The kind of the `FileError`. */
export async function errorFor(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.catch((reason: unknown) => reason);
  return error instanceof FileError ? error.kind : String(error);
}
