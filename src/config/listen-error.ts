/** The address is taken or not this machine's, or the certificate is no good; the message is one line that says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}
