import type { Dispatcher } from 'undici';
import type { Answered } from './post.ts';

const RESPONSE_LIMIT_BYTES = 16 * 1024;
const ERROR_LENGTH_MAX = 300;

/** One exchange that is under way. */
export interface Posting {
  readonly handler: Dispatcher.DispatchHandler;
  /** Ends it now, with what was heard so far. */
  giveUp(reason: string): void;
}

type Heard = Omit<Answered, 'durationMs'>;

/** Listens to one answer: its head, the first bytes of its body, and its end, which is told once, whichever it is. */
export function openPosting(ended: (heard: Heard) => void): Posting {
  const chunks: Buffer[] = [];
  let length = 0;
  let head: Pick<Heard, 'statusCode' | 'headers'> = { statusCode: null, headers: {} };
  let over = false;
  let controller: Dispatcher.DispatchController | undefined;

  const end = (reason: string | null) => {
    if (over) return;
    over = true;
    const error = reason ?? complaint(head.statusCode ?? 0);
    ended({ ...head, error, response: textOf(chunks), retryAfter: first(head.headers['retry-after']) });
  };
  const stop = (reason: string) => controller?.abort(new Error(reason));
  return {
    giveUp: (reason) => {
      end(reason);
      stop(reason);
    },
    handler: {
      // It may have waited for a connection until its time was over.
      onRequestStart: (its) => {
        controller = its;
        if (over) stop('Too late');
      },
      onResponseStart: (_its, statusCode, headers) => {
        if (statusCode >= 200) head = { statusCode, headers };
      },
      // The rest of the body is not waited for.
      onResponseData: (_its, chunk) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length < RESPONSE_LIMIT_BYTES) return;
        end(null);
        stop('Heard enough');
      },
      onResponseEnd: () => end(null),
      onResponseError: (_its, error) => end(reasonOf(error)),
    },
  };
}

function textOf(chunks: readonly Buffer[]): string {
  const [only] = chunks;
  if (only === undefined) return '';
  const bytes = chunks.length === 1 ? only : Buffer.concat(chunks);
  return bytes.subarray(0, RESPONSE_LIMIT_BYTES).toString();
}

function complaint(status: number): string | null {
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
