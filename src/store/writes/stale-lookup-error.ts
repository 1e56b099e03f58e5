/** An email, a name or a unique value got another owner while the batch read what its writes depend on. */
export class StaleLookupError extends Error {
  override readonly name = "StaleLookupError";
}
