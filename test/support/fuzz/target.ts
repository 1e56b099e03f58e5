/** A text that stands for a caller, or does not. */
export interface FuzzCredential {
  readonly secret: string;
  /** Undefined for an access token. */
  readonly keyId: number | undefined;
  /** Whether the service may accept it. */
  readonly isActive: boolean;
}

/** What requests need to know about the service. */
export interface FuzzTarget {
  /** Host and port. */
  readonly host: string;
  /** Those that requests send most come several times. Empty if the service requires none. */
  readonly credentials: readonly FuzzCredential[];
}
