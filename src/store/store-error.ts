/** The store cannot be opened or used as things are; the message is one line that says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
