/** What the other side said, or why nothing was heard. */
export interface Answered {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** The beginning of the body. */
  readonly response: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly retryAfter: string | undefined;
}
