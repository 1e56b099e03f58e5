/** The batch needs more ids than it took: a write before a create freed the email or the name of that create. */
export class OutOfIdsError extends Error {
  override readonly name = "OutOfIdsError";
}
