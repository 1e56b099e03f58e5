/** A response whose body has been decoded. */
export interface JudgedResponse {
  readonly status: number;
  /** Empty without a body. */
  readonly text: string;
  header(name: string): string | undefined;
  /** The media type of the body. */
  readonly type: string;
}
