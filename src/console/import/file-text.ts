import { describeError } from "../lib/api.ts";
import { importing as texts } from "../texts/import.ts";

/** Why a file, or its rest, can't be imported. */
type FileErrorKind =
  | "encoding"
  | "empty"
  | "json"
  | "workbook"
  | "wide"
  | "endlessRow"
  | "large"
  | "unreadable";

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

/** UTF-8, and the encodings that Excel writes. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const PIECE_BYTES = 65_536;
const LARGE_PIECE_BYTES = 4_194_304;
const HEAD_BYTES = 4096;
/** Bytes that Windows-1252 does not define. Decoders make control characters of them. */
const UNDEFINED_IN_1252 = /[\u0081\u008d\u008f\u0090\u009d]/;

/** A text file. Reading holds one piece in memory at a time. */
export class TextFile {
  readonly name: string;
  readonly size: number;
  /** When the file was last changed, in milliseconds. */
  readonly modified: number;
  readonly encoding: Encoding;
  readonly #file: File;

  private constructor(file: File, encoding: Encoding) {
    this.name = file.name;
    this.size = file.size;
    this.modified = file.lastModified;
    this.encoding = encoding;
    this.#file = file;
  }

  /** Reads the whole file, so an import doesn't fail halfway. Throws a `FileError` unless the file is text. */
  static async open(file: File): Promise<TextFile> {
    const head = new Uint8Array(await readBytes(file.slice(0, HEAD_BYTES)));
    // A ZIP archive: spreadsheet programs store workbooks as ZIP.
    if (head[0] === 0x50 && head[1] === 0x4b) throw new FileError("workbook");
    const text = new TextFile(file, await detectEncoding(file, head));
    let blank = true;
    for await (const { text: piece } of text.read(LARGE_PIECE_BYTES)) {
      if (piece.includes("\u0000")) throw new FileError("encoding");
      blank &&= piece.trim() === "";
    }
    if (blank) throw new FileError("empty");
    return text;
  }

  /** The text, piece by piece. Throws a `FileError` if the file can no longer be read. */
  read(size = PIECE_BYTES): AsyncGenerator<Piece, void> {
    return readText(this.#file, this.encoding, size);
  }
}

async function* readText(file: Blob, encoding: Encoding, size: number): AsyncGenerator<Piece, void> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for (let start = 0; start < file.size; start += size) {
    const end = Math.min(start + size, file.size);
    const bytes = await readBytes(file.slice(start, end));
    yield { text: decode(decoder, bytes, end < file.size), bytes: end };
  }
}

function decode(decoder: TextDecoder, bytes: ArrayBuffer, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw cause instanceof TypeError ? new FileError("encoding", undefined, { cause }) : cause;
  }
}

async function detectEncoding(file: Blob, head: Uint8Array): Promise<Encoding> {
  const utf16 = detectUtf16(head);
  if (utf16) return utf16;
  try {
    for await (const _ of readText(file, "utf-8", LARGE_PIECE_BYTES));
    return "utf-8";
  } catch (error) {
    if (!(error instanceof FileError && error.kind === "encoding")) throw error;
    if (await isWindows1252(file)) return "windows-1252";
    throw error;
  }
}

/** By the byte order mark. Without one, every second byte of delimiters and Latin letters is 0. */
function detectUtf16(head: Uint8Array): Encoding | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const zeros = [0, 0];
  head.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  if (odd > 0 && even === 0) return "utf-16le";
  return even > 0 && odd === 0 ? "utf-16be" : undefined;
}

/** Whether a file that is not UTF-8 is Windows-1252. A file with more valid than invalid UTF-8 is damaged UTF-8. */
async function isWindows1252(file: Blob): Promise<boolean> {
  const utf8 = new TextDecoder("utf-8");
  let [valid, invalid] = [0, 0];
  for (let start = 0; start < file.size; start += LARGE_PIECE_BYTES) {
    const bytes = await readBytes(file.slice(start, start + LARGE_PIECE_BYTES));
    if (UNDEFINED_IN_1252.test(new TextDecoder("windows-1252").decode(bytes))) return false;
    for (const [character] of utf8.decode(bytes, { stream: true }).matchAll(/[^\0-\x7f]/gu)) {
      if (character === "\ufffd") invalid++;
      else valid++;
    }
  }
  return valid <= invalid;
}

async function readBytes(blob: Blob): Promise<ArrayBuffer> {
  try {
    return await blob.arrayBuffer();
  } catch (cause) {
    throw new FileError("unreadable", undefined, { cause });
  }
}
