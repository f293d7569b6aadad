import { z } from 'zod';
import {
  SCHEDULING_PROVIDERS,
  type SchedulingProvider,
  type SchedulingProviderName,
  type VisitLocation,
} from '../../adapters/scheduling/port.ts';
import { inTenant, type App, type Work } from '../../app.ts';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { queryProvider } from './query-provider.ts';
import { CACHED_DAYS, toCachedRow, parseCachedPlace } from './cached-availability.ts';
import * as store from './store.ts';

const RefreshAvailabilityInput = z.object({ provider: z.enum(SCHEDULING_PROVIDERS) });
type RefreshAvailabilityInput = z.output<typeof RefreshAvailabilityInput>;

const REFRESH_EVERY_MS = MINUTE;
/** A place that was not requested for this long is dropped from the cache. */
const KEEP_UNREQUESTED_MS = DAY;
/** A round that is overdue by this much counts as lost. */
const LOST_AFTER_MS = 3 * MINUTE;
const PLACES_PER_QUERY = 20;
/** Ends a round before the next one starts, even if every query runs into its timeout. */
const ROUND_TIME_LIMIT_MS = 45 * SECOND;

/** Schedules the next round unless one is scheduled. */
export async function scheduleRefresh(work: Work, provider: SchedulingProviderName): Promise<void> {
  const dueAt = later(work.now, REFRESH_EVERY_MS);
  const lostBefore = later(work.now, -LOST_AFTER_MS);
  if (!(await store.claimRound(work, provider, { nextAt: dueAt, lostBefore }))) return;
  await setTimer(work, refreshAvailability, { key: provider, dueAt, input: { provider } });
}

/**
 * Refreshes the cached slots of all places that were requested in the last day, every minute per provider.
 * The next round is scheduled before this one queries the provider, so a failure never stops the rounds. If the
 * provider fails, the cached slots expire.
 */
export const refreshAvailability: Job<App, RefreshAvailabilityInput> = defineJob({
  name: 'availability.refresh',
  input: RefreshAvailabilityInput,
  canWait: true,
  isMaintenance: true,
  async run(app, tenant, { provider: name }) {
    const provider = app.schedulingProviders[tenant.environment][name];
    const round = await inTenant(app, tenant, (work) => beginRound(work, name, provider !== undefined));
    if (!provider) return;
    const until = later(app.clock.now(), ROUND_TIME_LIMIT_MS);
    for (let at = 0; at < round.places.length && app.clock.now() < until; at += PLACES_PER_QUERY) {
      const places = round.places.slice(at, at + PLACES_PER_QUERY);
      const restMs = await refreshPlaces(app, tenant, { provider, places, now: round.now });
      if (restMs > REFRESH_EVERY_MS) return postponeRound(app, tenant, { provider: name, restMs });
    }
  },
});

/** Postpones the next round if the provider asks for a longer pause (Retry-After). */
const postponeRound = (
  app: App,
  tenant: Tenant,
  { provider, restMs }: RefreshAvailabilityInput & { restMs: number },
): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const dueAt = later(work.now, restMs);
    await store.postponeRound(work, provider, dueAt);
    await setTimer(work, refreshAvailability, { key: provider, dueAt, input: { provider } });
  });

interface AvailabilityRefreshRound {
  readonly now: Date;
  readonly places: readonly VisitLocation[];
}

/** Reads the places of this round and schedules the next one, unless there are none. */
async function beginRound(
  work: Work,
  provider: SchedulingProviderName,
  isConnected: boolean,
): Promise<AvailabilityRefreshRound> {
  const { now } = work;
  await store.deleteRequestedBefore(
    work,
    provider,
    isConnected ? later(now, -KEEP_UNREQUESTED_MS) : later(now, DAY),
  );
  const places = (await store.listCachedPlaces(work, provider)).map(({ place }) => parseCachedPlace(place));
  await store.deleteRound(work, provider);
  if (places.length > 0) await scheduleRefresh(work, provider);
  return { now, places };
}

/** Returns the pause that the provider asks for, in milliseconds; 0 for none. */
async function refreshPlaces(
  app: App,
  tenant: Tenant,
  { provider, places, now }: AvailabilityRefreshRound & { provider: SchedulingProvider },
): Promise<number> {
  try {
    const answered = await queryProvider(provider, places, {
      wanted: { from: null, days: CACHED_DAYS },
      now,
    });
    await inTenant(app, tenant, async (work) => {
      await store.saveRefreshed(
        work,
        answered.map((each) => toCachedRow(provider.name, each, now)),
      );
    });
    return 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn({ provider: provider.name, reason: error.message }, 'failed to refresh availability');
    return (error.retryAfterSeconds ?? 0) * SECOND;
  }
}
