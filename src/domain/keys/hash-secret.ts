/** The hash of a key or a session token. Only the hash is stored. Secrets are random and long, so a fast hash is safe. */
export function hashSecret(secret: string): string {
  return Bun.SHA256.hash(secret, "base64url");
}
