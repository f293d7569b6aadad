import { Readable } from 'node:stream';

/** The media type of server-sent events (HTML Living Standard, section 9.2). */
export const EVENT_STREAM_TYPE = 'text/event-stream';

/** A server-sent event. No field contains a line break. */
export interface ServerSentEvent {
  /** A client that lost its connection sends the last id back in the header Last-Event-ID. */
  readonly id: string;
  /** Default: the message only sets the id, and browsers dispatch no event. */
  readonly message?: { readonly event: string; readonly data: string };
}

/** The open response of an event stream, as its route sees it. */
export interface EventOutput {
  /** Sends events, or ends the response if the client has not read what was sent before. */
  send(events: readonly ServerSentEvent[]): void;
  /** Resolves when the client has read what was sent, or the response has ended. */
  drained(): Promise<void>;
  /** Ends the response with a comment. The client connects again and continues after its last event. */
  end(reason: string): void;
  readonly isOpen: boolean;
}

/** More than the largest page of events of a log, which is sent at once. */
const BUFFER_BYTES = 256 * 1024;
/** A client that has not read all that was sent before this time is disconnected. */
const STALL_MS = 30_000;
/** How long browsers wait before they connect again. */
const RETRY_MS = 2000;

/**
 * The body of an event stream: a bounded buffer in front of the socket. `performance.now()` is the time of the process,
 * not of a tenant, because it only measures the connection.
 */
export class EventStreamBody extends Readable implements EventOutput {
  #waiting: (() => void)[] = [];
  #hasEnded = false;
  #readAtMs = performance.now();
  #sentAtMs = performance.now();

  constructor() {
    // `_read` is called when the buffer is empty, and only then.
    super({ highWaterMark: 1 });
    // Browsers report the connection as open when the first bytes arrive.
    this.#write(`retry: ${RETRY_MS}\n\n`);
  }

  get isOpen(): boolean {
    return !this.#hasEnded && !this.destroyed;
  }

  send(events: readonly ServerSentEvent[]): void {
    if (!this.isOpen || events.length === 0) return;
    if (this.readableLength > BUFFER_BYTES) {
      this.end('this client reads too slowly');
      return;
    }
    this.#write(events.map(serialize).join(''));
  }

  drained(): Promise<void> {
    if (!this.isOpen || this.readableLength === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  end(reason: string): void {
    if (!this.isOpen) return;
    this.#write(`: ${reason}; connect again with Last-Event-ID to continue\n\n`);
    this.#hasEnded = true;
    this.push(null);
    this.#release();
  }

  /** Called every second: sends a comment to an idle client, and disconnects one that stalls. */
  check(heartbeatMs: number): void {
    const nowMs = performance.now();
    if (this.readableLength > 0 && nowMs - this.#readAtMs >= STALL_MS) this.destroy();
    else if (this.isOpen && nowMs - this.#sentAtMs >= heartbeatMs) this.#write(': heartbeat\n\n');
  }

  override _read(): void {
    this.#readAtMs = performance.now();
    this.#release();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#release();
    done(error);
  }

  #write(text: string): void {
    this.#sentAtMs = performance.now();
    if (this.readableLength === 0) this.#readAtMs = this.#sentAtMs;
    this.push(text);
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

const serialize = ({ id, message }: ServerSentEvent): string =>
  message ? `id: ${id}\nevent: ${message.event}\ndata: ${message.data}\n\n` : `id: ${id}\n\n`;
