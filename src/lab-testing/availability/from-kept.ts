import type {
  PlaceSlots,
  SchedulingProviderName,
  VisitPlace,
  VisitSlot,
} from '../../adapters/scheduling/port.ts';
import { inTenant, type App, type Work } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { isGood, slotsWithin, unpack, unpackedBefore, versionOf, type Days } from './kept.ts';
import * as store from './store.ts';

interface WantedOfProvider extends Days {
  readonly provider: SchedulingProviderName;
  readonly places: readonly VisitPlace[];
}

export interface FromKept {
  readonly places: readonly PlaceSlots[];
  /** The eldest of them. */
  readonly asOf: Date;
  /** The codes of those that nobody has asked for in a while. */
  readonly forgotten: readonly string[];
}

/** By so much the note of when a place was last wanted may be behind: asking costs no writing. */
const NOTED_EVERY_MS = 10 * MINUTE;

/** Everything that was asked for, from what is kept; undefined unless all of it is there and fresh. */
export async function fromKept(work: Work, wanted: WantedOfProvider): Promise<FromKept | undefined> {
  const asked = { wanted, now: work.now };
  const codes = [...new Set(wanted.places.map(({ code }) => code))];
  const found = await store.listHeads(work, wanted.provider, codes);
  const heads = new Map(found.map((head) => [head.place_code, head]));
  const isAllGood = wanted.places.every((place) => {
    const head = heads.get(place.code);
    return head !== undefined && isGood(head, place, asked);
  });
  if (!isAllGood) return undefined;
  const slots = await readSlots(work, wanted.provider, found);
  const noted = later(work.now, -NOTED_EVERY_MS);
  return {
    places: wanted.places.map((place) => ({
      place,
      slots: slotsWithin(slots.get(place.code) ?? [], place, asked),
    })),
    asOf: new Date(Math.min(...found.map((head) => head.refreshed_at.getTime()))),
    forgotten: found.filter((head) => head.asked_at < noted).map((head) => head.place_code),
  };
}

/** By the code of the place. What this process has read before is not read again. */
async function readSlots(
  work: Work,
  provider: string,
  heads: readonly store.KeptHead[],
): Promise<ReadonlyMap<string, readonly VisitSlot[]>> {
  const slots = new Map<string, readonly VisitSlot[]>();
  const unread: string[] = [];
  for (const head of heads) {
    const known = unpackedBefore(versionOf(work.tenant, provider, head));
    if (known) slots.set(head.place_code, known);
    else unread.push(head.place_code);
  }
  if (unread.length === 0) return slots;
  for (const row of await store.listSlots(work, provider, unread)) {
    slots.set(row.place_code, unpack(versionOf(work.tenant, provider, row), row.slots));
  }
  return slots;
}

const noting = new Set<string>();

/** Notes that these are still wanted; one note at a time for a tenant and provider, the others leave it to that one. */
export async function noteWanted(
  app: App,
  tenant: Tenant,
  { provider, codes }: { provider: SchedulingProviderName; codes: readonly string[] },
): Promise<void> {
  const key = `${tenant.teamId}/${tenant.environment}/${provider}`;
  if (codes.length === 0 || noting.has(key)) return;
  noting.add(key);
  try {
    await inTenant(app, tenant, (work) => store.touchKept(work, provider, codes));
  } finally {
    noting.delete(key);
  }
}
