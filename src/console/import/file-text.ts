import { describeError } from "../lib/api.ts";
import { importing as texts } from "../texts/index.ts";

/** Why a file cannot be imported, or not from some row on. */
type FileErrorKind = "notUtf8" | "empty" | "array" | "workbook" | "wide" | "endlessRow" | "unreadable";

export class FileError extends Error {
  constructor(
    readonly kind: FileErrorKind,
    /** Where it begins, if that is known. */
    readonly row?: number,
    options?: ErrorOptions,
  ) {
    super(kind, options);
  }
}

/** Why an import does not go on, in words for a person. */
export function describeImportError(error: unknown): { readonly title: string; readonly text: string } {
  return error instanceof FileError ? texts.fileErrors[error.kind](error.row) : describeError(error);
}

/** Some of a file's text. */
interface Piece {
  readonly text: string;
  /** How many bytes of the file end with it. */
  readonly bytes: number;
}

const PIECE = 65_536;
const LARGE_PIECE = 4_194_304;

/**
 * The text of a file from its beginning, a piece at a time: never more than one is in memory. Fails with a `FileFault`
 * where it is no UTF-8, or cannot be read any more.
 */
export async function* readText(file: Blob, size = PIECE): AsyncGenerator<Piece, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0; start < file.size; start += size) {
    const end = Math.min(start + size, file.size);
    const bytes = await readBytes(file.slice(start, end));
    try {
      yield { text: decoder.decode(bytes, { stream: end < file.size }), bytes: end };
    } catch (cause) {
      throw cause instanceof TypeError ? new FileError("notUtf8", undefined, { cause }) : cause;
    }
  }
}

/** Fails with a `FileFault` unless all of it is text: better now than in the middle of an import. */
export async function checkIsText(file: Blob): Promise<void> {
  const [first, second] = new Uint8Array(await readBytes(file.slice(0, 2)));
  // How a ZIP begins, which is what spreadsheets keep their workbooks in.
  if (first === 0x50 && second === 0x4b) throw new FileError("workbook");
  let blank = true;
  for await (const { text } of readText(file, LARGE_PIECE)) {
    if (text.includes("\u0000")) throw new FileError("notUtf8");
    blank &&= text.trim() === "";
  }
  if (blank) throw new FileError("empty");
}

async function readBytes(blob: Blob): Promise<ArrayBuffer> {
  try {
    return await blob.arrayBuffer();
  } catch (cause) {
    throw new FileError("unreadable", undefined, { cause });
  }
}
