import { performance } from 'node:perf_hooks';
import type { Dispatcher } from 'undici';
import type { WebhookResponse } from './response.ts';

const RESPONSE_LIMIT_BYTES = 16 * 1024;
const ERROR_LENGTH_MAX = 300;

type UndiciController = Dispatcher.DispatchController;

/**
 * Collects one response: its status and headers, the first bytes of its body, and its end, which is reported exactly
 * once.
 */
export class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #ended: (answered: WebhookResponse) => void;
  readonly #from = performance.now();
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #statusCode: number | null = null;
  #headers: WebhookResponse['headers'] = {};
  #over = false;
  #controller: UndiciController | undefined;

  constructor(ended: (answered: WebhookResponse) => void) {
    this.#ended = ended;
  }

  /** Ends it now, with what was received so far. */
  giveUp(reason: string): void {
    this.#end(reason);
    this.#controller?.abort(new Error(reason));
  }

  onRequestStart(controller: UndiciController): void {
    this.#controller = controller;
    // It timed out while waiting for a connection.
    if (this.#over) controller.abort(new Error('Too late'));
  }

  onResponseStart(
    _controller: UndiciController,
    statusCode: number,
    headers: WebhookResponse['headers'],
  ): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    this.#headers = headers;
  }

  /** Does not wait for the rest of a long body. */
  onResponseData(controller: UndiciController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#length < RESPONSE_LIMIT_BYTES) return;
    this.#end(null);
    controller.abort(new Error('Heard enough'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: UndiciController, error: Error): void {
    this.#end(reasonOf(error));
  }

  #end(reason: string | null): void {
    if (this.#over) return;
    this.#over = true;
    this.#ended({
      statusCode: this.#statusCode,
      error: reason ?? statusError(this.#statusCode ?? 0),
      durationMs: Math.round(performance.now() - this.#from),
      response: textOf(this.#chunks),
      headers: this.#headers,
      retryAfter: first(this.#headers['retry-after']),
    });
  }
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  if (only === undefined) return '';
  const bytes = chunks.length === 1 ? only : Buffer.concat(chunks);
  return bytes.subarray(0, RESPONSE_LIMIT_BYTES).toString();
}

function statusError(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `Answered ${status}; redirects are not followed`
    : `Answered ${status}`;
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll('\0', '').slice(0, ERROR_LENGTH_MAX);
}

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;
