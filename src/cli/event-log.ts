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

const Page = z.object({ data: z.array(LoggedEvent), next_cursor: z.int(), latest: z.int() });

export interface Reading {
  /** The position of the last event that is known already. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Told when the service cannot be asked, and when it can again. */
  readonly note: (text: string) => void;
}

const PAGE = 100;
const LOOK_EVERY_MS = 500;

/**
 * The events of a team in the order of the log, those to come included, each once: the cursor moves only
 * past what was handed out. Ends when the signal says so, or when the service refuses what is asked.
 */
export async function* followEvents(
  remote: Remote,
  { after, signal, note }: Reading,
): AsyncGenerator<LoggedEvent, void> {
  let cursor = after;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const page = await readPage(remote, { after: cursor, limit: PAGE, signal });
      if (failures > 0) note('The service answers again.');
      failures = 0;
      yield* page.data;
      cursor = page.next_cursor;
      if (page.data.length < PAGE) await rest(LOOK_EVERY_MS, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!passing(error)) throw error;
      failures += 1;
      const waitMs = backoff(failures);
      note(`${error.message} Trying again in ${waitMs / SECOND} s.`);
      await rest(waitMs, signal);
    }
  }
}

/** The position of the newest event, 0 for an empty log: every page says it. */
export const endOfLog = async (remote: Remote, signal: AbortSignal): Promise<number> =>
  (await readPage(remote, { after: 0, limit: 1, signal })).latest;

const readPage = (
  remote: Remote,
  { after, limit, signal }: { after: number; limit: number; signal: AbortSignal },
): Promise<z.output<typeof Page>> =>
  remote.ask({
    method: 'GET',
    path: `/v1/org/${remote.orgId}/team/${remote.teamId}/${remote.environment ?? 'sandbox'}/event`,
    query: { after, limit },
    answer: Page,
    signal,
  });

/** Nobody there, too much asked, or a fault of the service: that may pass. A refusal will not. */
const passing = (error: unknown): error is RemoteError =>
  error instanceof RemoteError && (error.status === undefined || error.status === 429 || error.status >= 500);

const LONGEST_MS = 30 * SECOND;
const backoff = (failures: number): number => Math.min(LONGEST_MS, SECOND * 2 ** (failures - 1));

/** Waits, or less when the signal comes first. */
export const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  pause(milliseconds, undefined, { signal }).catch(() => undefined);
