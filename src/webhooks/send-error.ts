/** Why a delivery failed, in words that its owner may read. */
export class SendError extends Error {
  override readonly name = "SendError";
}
