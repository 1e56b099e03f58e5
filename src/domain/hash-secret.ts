/** What is stored of a key, or of a session, instead of itself. Its own length makes it too long to be guessed back. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, "base64url");
}
