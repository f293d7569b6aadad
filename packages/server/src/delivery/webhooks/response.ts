/** The response of a receiver, or the reason why there was none. */
export interface WebhookResponse {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** The first 16 KiB of the body. */
  readonly response: string;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly retryAfter: string | undefined;
}
