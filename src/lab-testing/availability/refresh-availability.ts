import { z } from 'zod';
import {
  SCHEDULING_PROVIDERS,
  type SchedulingProvider,
  type SchedulingProviderName,
  type VisitPlace,
} from '../../adapters/scheduling/port.ts';
import { inTenant, type App, type Work } from '../../app.ts';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { askProvider } from './ask-provider.ts';
import { KEPT_DAYS, keptOf, placeOf } from './kept.ts';
import * as store from './store.ts';

const Input = z.object({ provider: z.enum(SCHEDULING_PROVIDERS) });
type Input = z.output<typeof Input>;

const REFRESH_EVERY_MS = MINUTE;
/** A place that nobody has asked for since is not kept any longer. */
const WANTED_FOR_MS = DAY;
/** A round that did not come although it was due is not waited for. */
const LOST_AFTER_MS = 3 * MINUTE;
const PLACES_AT_ONCE = 20;
/** A round ends before the next begins, even where every question has to wait for its timeout. */
const ROUND_MS = 45 * SECOND;

/** Sets the next round, unless one is set. */
export async function seeToRefreshing(work: Work, provider: SchedulingProviderName): Promise<void> {
  const dueAt = later(work.now, REFRESH_EVERY_MS);
  const lostBefore = later(work.now, -LOST_AFTER_MS);
  if (!(await store.takeRound(work, provider, { nextAt: dueAt, lostBefore }))) return;
  await setTimer(work, refreshAvailability, { key: provider, dueAt, input: { provider } });
}

/**
 * Asks a provider anew for the places that somebody wanted in the last day. The next round is set before this one
 * asks anybody: what happens to this one, that one comes. A provider that fails leaves what is kept to grow old.
 */
export const refreshAvailability: Job<App, Input> = defineJob({
  name: 'availability.refresh',
  input: Input,
  canWait: true,
  isUpkeep: true,
  async run(app, tenant, { provider: name }) {
    const provider = app.schedulingProviders[tenant.environment][name];
    const round = await inTenant(app, tenant, (work) => beginRound(work, name, provider !== undefined));
    if (!provider) return;
    const until = later(app.clock.now(), ROUND_MS);
    for (let at = 0; at < round.places.length && app.clock.now() < until; at += PLACES_AT_ONCE) {
      const places = round.places.slice(at, at + PLACES_AT_ONCE);
      const restMs = await refresh(app, tenant, { provider, places, now: round.now });
      if (restMs > REFRESH_EVERY_MS) return putOff(app, tenant, { provider: name, restMs });
    }
  },
});

/** The provider wants to be left alone for longer than until the next round, which then comes later. */
const putOff = (app: App, tenant: Tenant, { provider, restMs }: Input & { restMs: number }): Promise<void> =>
  inTenant(app, tenant, async (work) => {
    const dueAt = later(work.now, restMs);
    await store.moveRound(work, provider, dueAt);
    await setTimer(work, refreshAvailability, { key: provider, dueAt, input: { provider } });
  });

interface Round {
  readonly now: Date;
  readonly places: readonly VisitPlace[];
}

/** The places of this round, with the next one set; the last round sets none. */
async function beginRound(
  work: Work,
  provider: SchedulingProviderName,
  isConnected: boolean,
): Promise<Round> {
  const { now } = work;
  await store.dropAskedBefore(work, provider, isConnected ? later(now, -WANTED_FOR_MS) : later(now, DAY));
  const places = (await store.listPlaces(work, provider)).map(({ place }) => placeOf(place));
  await store.dropRound(work, provider);
  if (places.length > 0) await seeToRefreshing(work, provider);
  return { now, places };
}

/** Answers how long the provider wants not to be asked. */
async function refresh(
  app: App,
  tenant: Tenant,
  { provider, places, now }: Round & { provider: SchedulingProvider },
): Promise<number> {
  try {
    const answered = await askProvider(provider, places, { wanted: { from: null, days: KEPT_DAYS }, now });
    await inTenant(app, tenant, async (work) => {
      await store.refreshKept(
        work,
        answered.map((each) => keptOf(provider.name, each, now)),
      );
    });
    return 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn({ provider: provider.name, reason: error.message }, 'availability was not refreshed');
    return (error.retryAfterSeconds ?? 0) * SECOND;
  }
}
