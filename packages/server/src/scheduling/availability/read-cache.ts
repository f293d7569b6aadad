import type {
  LocationSlots,
  SchedulingProviderName,
  VisitLocation,
  VisitSlot,
} from '../../adapters/scheduling/port.ts';
import { inTenant, type App, type Work } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import {
  isUsable,
  selectSlots,
  unpackSlots,
  getUnpackedSlots,
  toCacheVersion,
  type SlotDays,
} from './cached-availability.ts';
import * as store from './store.ts';

interface CachedAvailabilityQuery extends SlotDays {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitLocation[];
}

interface CachedAvailability {
  readonly places: readonly LocationSlots[];
  /** The refresh time of the oldest place. */
  readonly asOf: Date;
  /** Place codes whose `asked_at` is older than TOUCH_EVERY_MS. */
  readonly stalePlaceCodes: readonly string[];
}

/** How far `asked_at` may lag behind the last request, so that most reads need no write. */
const TOUCH_EVERY_MS = 10 * MINUTE;

/** The requested slots from the cache; undefined unless all places are cached and fresh. */
export async function readCachedAvailability(
  work: Work,
  wanted: CachedAvailabilityQuery,
): Promise<CachedAvailability | undefined> {
  const asked = { wanted, now: work.now };
  const codes = [...new Set(wanted.places.map(({ code }) => code))];
  const found = await store.listHeads(work, wanted.provider, codes);
  const heads = new Map(found.map((head) => [head.place_code, head]));
  const isAllGood = wanted.places.every((place) => {
    const head = heads.get(place.code);
    return head !== undefined && isUsable(head, place, asked);
  });
  if (!isAllGood) return undefined;
  const slots = await readSlots(work, wanted.provider, found);
  const noted = later(work.now, -TOUCH_EVERY_MS);
  return {
    places: wanted.places.map((place) => ({
      place,
      slots: selectSlots(slots.get(place.code) ?? [], place, asked),
    })),
    asOf: new Date(Math.min(...found.map((head) => head.refreshed_at.getTime()))),
    stalePlaceCodes: found.filter((head) => head.asked_at < noted).map((head) => head.place_code),
  };
}

/** Slots by place code. Unpacked slots are cached in this process. */
async function readSlots(
  work: Work,
  provider: string,
  heads: readonly store.CachedAvailabilityHead[],
): Promise<ReadonlyMap<string, readonly VisitSlot[]>> {
  const slots = new Map<string, readonly VisitSlot[]>();
  const unread: string[] = [];
  for (const head of heads) {
    const known = getUnpackedSlots(toCacheVersion(work.tenant, provider, head));
    if (known) slots.set(head.place_code, known);
    else unread.push(head.place_code);
  }
  if (unread.length === 0) return slots;
  for (const row of await store.listSlots(work, provider, unread)) {
    slots.set(row.place_code, unpackSlots(toCacheVersion(work.tenant, provider, row), row.slots));
  }
  return slots;
}

const touchesInFlight = new Set<string>();

/** Updates `asked_at` of these places. Skipped while another update of the tenant and provider is in flight. */
export async function touchCachedPlaces(
  app: App,
  tenant: Tenant,
  { provider, codes }: { provider: SchedulingProviderName; codes: readonly string[] },
): Promise<void> {
  const key = `${tenant.teamId}/${tenant.environment}/${provider}`;
  if (codes.length === 0 || touchesInFlight.has(key)) return;
  touchesInFlight.add(key);
  try {
    await inTenant(app, tenant, (work) => store.touchCached(work, provider, codes));
  } finally {
    touchesInFlight.delete(key);
  }
}
