/** The service cannot listen: the port, the address or the certificate is unusable. The message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}
