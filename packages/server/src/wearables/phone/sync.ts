import type { z } from 'zod';
import { HOUR, isoTimestamp, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getHistoricalDaysByResource } from '../../provider-settings/provider-settings.ts';
import { findProvider } from '../../readings/readings.ts';
import { getUser } from '../../users/users/users.ts';
import { connect, LinkError } from '../connections/connect.ts';
import { listConnections } from '../connections/connections.ts';
import { emitPendingEvents } from '../ingestion/ingestion.ts';
import type { PhoneProvider } from './schema.ts';
import type { SyncStateBody, SyncStateView } from './sync-schema.ts';

const EXPIRES_MS = 4 * HOUR;
const REPORT_MS = HOUR;
const HISTORICAL_DAYS = 30;
/** Small enough for a request of 4 MiB, and for the seconds that a phone has in the background. */
// prettier-ignore
const CHUNK_SIZES = {
  query_chunk_sizes_background: { timeseries: 1000, activity_timeseries: 1000, electrocardiogram: 1, workout: 5, sleep: 10 },
  query_chunk_sizes_foreground: { timeseries: 5000, activity_timeseries: 5000, electrocardiogram: 4, workout: 20, sleep: 20 },
};

/** Connects a user whose phone will push. Nothing changes if it is connected. */
export async function connectPhone(work: Work, userId: string, provider: PhoneProvider): Promise<void> {
  const user = await getUser(work, userId);
  const known = (await listConnections(work, user.id)).find((one) => one.provider === provider);
  if (known?.status === 'connected') return;
  const resources = findProvider(provider)?.resources ?? [];
  await connect(work, { user, provider, kind: 'pushed', grant: null, resources }).catch((error: unknown) => {
    if (error instanceof LinkError) throw new DomainError('bad_request', error.message);
    throw error;
  });
}

/** What the phone should do: whether to send at all, how far back, and in which portions. */
export async function getSyncState(
  work: Work,
  { userId, provider }: { userId: string; provider: PhoneProvider },
  asked: z.output<typeof SyncStateBody>,
): Promise<z.input<typeof SyncStateView>> {
  const connection = (await listConnections(work, userId)).find((one) => one.provider === provider);
  const statuses = { connected: 'active', paused: 'paused', error: 'error' } as const;
  const momentOf = (given: string | null | undefined) =>
    given == null ? null : wholeSeconds(new Date(given));
  return {
    status: connection ? statuses[connection.status] : 'error',
    request_start_date: momentOf(asked.request_start_date),
    request_end_date: momentOf(asked.request_end_date),
    per_device_activity_ts: false,
    expires_in: EXPIRES_MS / SECOND,
    reporting_interval: REPORT_MS / SECOND,
    pull_preferences: { historical_days_to_pull: await findDays(work, provider) },
    health_kit_params: { ...CHUNK_SIZES, workout_stream: false, workout_heart_rate: false },
  };
}

/** The iOS SDK reads no fractions of a second. */
const wholeSeconds = (moment: Date): string => isoTimestamp(moment).replace(/\.\d+/, '');

const findDays = async (work: Work, provider: string): Promise<number> =>
  (await getHistoricalDaysByResource(work, provider))('') ?? HISTORICAL_DAYS;

/** These SDKs do not say which request ends a history. They report when all resources are sent. */
const TELLS_AT_REPORT: readonly PhoneProvider[] = ['health_connect', 'samsung_health'];

export async function receiveReport(work: Work, userId: string, provider: PhoneProvider): Promise<void> {
  const { id } = await getUser(work, userId);
  if (TELLS_AT_REPORT.includes(provider)) await emitPendingEvents(work, id, { provider });
}
