import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { SECOND } from '../platform/clock.ts';
import { RemoteError, type Remote } from './remote.ts';

const LoggedEvent = z.object({
  id: z.string(),
  position: z.int(),
  created_at: z.string(),
  event_type: z.string(),
  body: z.record(z.string(), z.unknown()),
});
export type LoggedEvent = z.output<typeof LoggedEvent>;

const EventPage = z.object({ data: z.array(LoggedEvent), next_cursor: z.int(), latest: z.int() });

interface FollowOptions {
  /** The position of the last known event. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Called when the service becomes unreachable, and when it is back. */
  readonly note: (text: string) => void;
}

const PAGE = 100;
const POLL_INTERVAL_MS = 500;

/**
 * Yields the events of a team in log order, including future ones, each once: the cursor moves only past events that
 * were yielded. Ends when the signal aborts, or throws when the service refuses the request.
 */
export async function* followEvents(
  remote: Remote,
  { after, signal, note }: FollowOptions,
): AsyncGenerator<LoggedEvent, void> {
  let cursor = after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const page = await readPage(remote, { after: cursor, limit: PAGE, signal });
      if (failures > 0) note('The service is back.');
      failures = 0;
      yield* page.data;
      cursor = page.next_cursor;
      if (page.data.length < PAGE) await pauseUnlessAborted(POLL_INTERVAL_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!isTransient(error)) throw error;
      failures += 1;
      const waitMs = backoff(failures);
      note(`${error.message} Retrying in ${waitMs / SECOND} s.`);
      await pauseUnlessAborted(waitMs, signal);
    }
  }
}

/** The position of the newest event, 0 for an empty log. Every page contains it. */
export const readLatestPosition = async (remote: Remote, signal: AbortSignal): Promise<number> =>
  (await readPage(remote, { after: 0, limit: 1, signal })).latest;

const readPage = (
  remote: Remote,
  { after, limit, signal }: { after: number; limit: number; signal: AbortSignal },
): Promise<z.output<typeof EventPage>> =>
  remote.request({
    method: 'GET',
    path: `/v1/org/${remote.orgId}/team/${remote.teamId}/${remote.environment ?? 'sandbox'}/event`,
    query: { after, limit },
    answer: EventPage,
    signal,
  });

/** Whether a retry may succeed: no connection, rate limiting, or a server error. A refusal is permanent. */
const isTransient = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && (error.status === undefined || error.status === 429 || error.status >= 500);

const BACKOFF_MAX_MS = 30 * SECOND;
const backoff = (failures: number): number => Math.min(BACKOFF_MAX_MS, SECOND * 2 ** (failures - 1));

/** Waits, or returns early when the signal aborts. */
export const pauseUnlessAborted = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, { signal }).catch(() => undefined);
