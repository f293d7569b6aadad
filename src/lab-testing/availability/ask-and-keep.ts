import type { PlaceSlots, SchedulingProvider, VisitPlace } from '../../adapters/scheduling/port.ts';
import { inTenant, readTenant, type App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { askProvider } from './ask-provider.ts';
import { firstDayAt, hashOf, isWithinKept, KEPT_DAYS, keptOf, PLACES_KEPT_MAX, type Asked } from './kept.ts';
import { fromKept } from './from-kept.ts';
import { seeToRefreshing } from './refresh-availability.ts';
import * as store from './store.ts';

export interface Answered {
  readonly places: readonly PlaceSlots[];
  readonly isCached: boolean;
  readonly asOf: Date;
}

interface Question {
  readonly provider: SchedulingProvider;
  readonly places: readonly VisitPlace[];
  readonly now: Date;
}

/** Whether an answer for these places and days is one to be kept: not too much, and within the days that are kept. */
export const isToBeKept = (places: readonly VisitPlace[], asked: Asked): boolean =>
  places.length <= PLACES_KEPT_MAX &&
  new Set(places.map(({ code }) => code)).size === places.length &&
  places.every((place) => isWithinKept(place, asked));

/** Questions whose answers will be kept. */
const underWay = new Map<string, Promise<Answered>>();

/**
 * Asks the provider and keeps what it says. However many callers of this process miss the same places at once, the
 * provider is asked once, and all of them get that answer.
 */
export function askAndKeep(app: App, tenant: Tenant, question: Question): Promise<Answered> {
  const { provider, places, now } = question;
  const days = places.map((place) => `${hashOf(place)}@${firstDayAt(place, { from: null }, now)}`);
  const key = [tenant.teamId, tenant.environment, provider.name, ...days].join('/');
  const asked = underWay.get(key);
  if (asked) return asked;
  const asking = askedAndKept(app, tenant, question).finally(() => underWay.delete(key));
  underWay.set(key, asking);
  return asking;
}

async function askedAndKept(
  app: App,
  tenant: Tenant,
  { provider, places, now }: Question,
): Promise<Answered> {
  // Who looked just before the answer of another was kept, and comes when nobody is asking any more, finds it now.
  const kept = await readTenant(app, tenant, (work) =>
    fromKept(work, { provider: provider.name, places, from: null, days: KEPT_DAYS }),
  );
  if (kept) return { places: kept.places, isCached: true, asOf: kept.asOf };
  const answered = await askProvider(provider, places, { wanted: { from: null, days: KEPT_DAYS }, now });
  await inTenant(app, tenant, async (work) => {
    await store.keepAsked(
      work,
      answered.map((each) => keptOf(provider.name, each, now)),
    );
    await store.dropBeyond(work, provider.name, PLACES_KEPT_MAX);
    await seeToRefreshing(work, provider.name);
  });
  return { places: answered, isCached: false, asOf: now };
}
