/** Every frame starts with one of these numbers (RFC 8878). A skippable frame may have any last digit. */
const FRAME = 0xfd2fb528;
const SKIPPABLE_FRAME = 0x184d2a50;

/** The sizes of optional fields, by the flag in the frame's descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
const CHECKSUM_BYTES = 4;

const RLE_BLOCK = 1;

type Field = "magic" | "skippable size" | "descriptor" | "block";
const FIELD_BYTES: Readonly<Record<Field, number>> = {
  magic: 4,
  "skippable size": 4,
  descriptor: 1,
  block: 3,
};

/**
 * Follows the structure of a Zstandard body, to find out whether it ends between two frames. The decoder of node:zlib
 * reports neither a truncated body nor text after the last frame.
 */
export class ZstdFrames {
  #field: Field = "magic";
  /** The number in the field so far, and how many of its bytes have arrived. */
  #value = 0;
  #arrived = 0;
  /** Bytes until the next field. */
  #skip = 0;
  #hasChecksum = false;
  #frames = 0;
  #isValid = true;

  /** Whether the bytes so far are one or more complete frames. */
  get areComplete(): boolean {
    const isBetweenFrames = this.#field === "magic" && this.#arrived === 0 && this.#skip === 0;
    return this.#isValid && isBetweenFrames && this.#frames > 0;
  }

  add(bytes: Uint8Array): void {
    for (let position = 0; position < bytes.length && this.#isValid; ) {
      const skipped = Math.min(this.#skip, bytes.length - position);
      this.#skip -= skipped;
      position += skipped;
      if (position === bytes.length) return;
      this.#value += (bytes[position++] ?? 0) * 256 ** this.#arrived++;
      if (this.#arrived === FIELD_BYTES[this.#field]) this.#endField();
    }
  }

  #endField(): void {
    const field = this.#field;
    const value = this.#value;
    this.#value = 0;
    this.#arrived = 0;
    if (field === "magic") this.#beginFrame(value);
    else if (field === "skippable size") this.#endFrame(value);
    else if (field === "descriptor") this.#beginBlocks(value);
    else this.#beginBlock(value);
  }

  #beginFrame(magic: number): void {
    if (magic === FRAME) this.#field = "descriptor";
    else if (magic - (magic % 16) === SKIPPABLE_FRAME) this.#field = "skippable size";
    else this.#isValid = false;
  }

  #beginBlocks(descriptor: number): void {
    const contentSize = descriptor >> 6;
    const isSingleSegment = (descriptor & 0x20) !== 0;
    this.#hasChecksum = (descriptor & 0x04) !== 0;
    // A single segment has no window, but always a content size.
    const windowOrSize = isSingleSegment && contentSize > 0 ? 0 : 1;
    this.#skip =
      windowOrSize + (DICTIONARY_ID_BYTES[descriptor & 0x03] ?? 0) + (CONTENT_SIZE_BYTES[contentSize] ?? 0);
    this.#field = "block";
  }

  #beginBlock(header: number): void {
    const isLast = (header & 1) === 1;
    const bytes = ((header >> 1) & 3) === RLE_BLOCK ? 1 : header >> 3;
    if (isLast) this.#endFrame(bytes + (this.#hasChecksum ? CHECKSUM_BYTES : 0));
    else this.#skip = bytes;
  }

  /** `bytes`: what is left of the frame. */
  #endFrame(bytes: number): void {
    this.#skip = bytes;
    this.#field = "magic";
    this.#frames++;
  }
}
