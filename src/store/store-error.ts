/** The store cannot be opened or used. The message is one line and says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}
