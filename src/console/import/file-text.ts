import { describeError } from "../lib/api.ts";
import { importing as texts } from "../texts/index.ts";

/** Why a file, or its rest, can't be imported. */
type FileErrorKind = "notUtf8" | "empty" | "array" | "workbook" | "wide" | "endlessRow" | "unreadable";

export class FileError extends Error {
  constructor(
    readonly kind: FileErrorKind,
    /** The first row with the error, if known. */
    readonly row?: number,
    options?: ErrorOptions,
  ) {
    super(kind, options);
  }
}

/** The text to show for an error during an import. */
export function describeImportError(error: unknown): { readonly title: string; readonly text: string } {
  return error instanceof FileError ? texts.fileErrors[error.kind](error.row) : describeError(error);
}

/** A part of a file's text. */
interface Piece {
  readonly text: string;
  /** Bytes of the file up to the end of this piece. */
  readonly bytes: number;
}

const PIECE_BYTES = 65_536;
const LARGE_PIECE_BYTES = 4_194_304;

/**
 * Reads a file piece by piece, with one piece in memory at a time. Throws a `FileError` if the file is not UTF-8 or can
 * no longer be read.
 */
export async function* readText(file: Blob, size = PIECE_BYTES): AsyncGenerator<Piece, void> {
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

/** Throws a `FileError` unless the whole file is text. Checked before the import, so it doesn't fail halfway. */
export async function checkIsText(file: Blob): Promise<void> {
  const [first, second] = new Uint8Array(await readBytes(file.slice(0, 2)));
  // A ZIP archive: spreadsheet programs store workbooks as ZIP.
  if (first === 0x50 && second === 0x4b) throw new FileError("workbook");
  let blank = true;
  for await (const { text } of readText(file, LARGE_PIECE_BYTES)) {
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
