import type { App } from '../../app.ts';
import { DAY } from '../../platform/clock.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant } from '../../platform/work.ts';
import type { HealthReading, ReadingOrigin, SummaryReading } from '../../readings/readings.ts';
import { deriveActivities, isActivityResource } from '../daily/daily.ts';
import { toLocalDay, toStartOfDay } from './local-day.ts';

/** The origin of sums over all devices of a phone. */
const MERGED_ORIGIN: ReadingOrigin = {
  provider: 'apple_health_kit',
  type: 'multiple_sources',
  appId: null,
  device: null,
  workout: null,
};

const DAYS_MAX = 40_000;
const DAYS_PER_READ = 31;

/**
 * An Apple Health export has the counts of a day as samples of each device, and its own summary of a day has no steps.
 * Holds the summaries back until the samples are stored, and then fills their missing fields from them.
 */
export class ActivityFiller {
  readonly #held = new Map<string, SummaryReading>();
  /** The offset of the first sample of a day. */
  readonly #offsets = new Map<string, number>();

  /** Whether the reading is held back. */
  take(reading: HealthReading): boolean {
    if (reading.kind === 'summary' && reading.resource === 'activity') {
      this.#held.set(reading.day, reading);
      return true;
    }
    if (reading.kind !== 'samples' || !isActivityResource(reading.resource)) return false;
    for (const { at, until, offset } of reading.samples) {
      for (const moment of [at, Math.max(at, (until ?? at) - 1)]) {
        const day = toLocalDay(moment, offset, null);
        if (!this.#offsets.has(day) && this.#offsets.size < DAYS_MAX) this.#offsets.set(day, offset ?? 0);
      }
    }
    return false;
  }

  /** The summaries, once the samples are stored. */
  async *readings(
    app: App,
    { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
  ): AsyncGenerator<HealthReading> {
    const days = [...new Set([...this.#held.keys(), ...this.#offsets.keys()])].toSorted();
    for (let first = 0; first < days.length; first += DAYS_PER_READ) {
      const some = days.slice(first, first + DAYS_PER_READ);
      const starts = some.flatMap((day) => {
        const offset = this.#offsets.get(day);
        return offset === undefined ? [] : [{ day, from: toStartOfDay(day, offset, null) }];
      });
      const { provider } = MERGED_ORIGIN;
      const derived = await readTenant(app, tenant, (work) =>
        deriveActivities(work, { userId, provider, days: starts }),
      );
      for (const day of some) {
        const held = this.#held.get(day);
        const fields = derived.get(day)?.fields;
        if (held) yield fields ? { ...held, body: fill(held.body, fields) } : held;
        else if (fields) yield toSummary(day, fields);
      }
    }
  }
}

/** What the summary states itself stays; the total then has its active part. */
function fill(
  body: SummaryReading['body'],
  fields: Readonly<Record<string, number>>,
): SummaryReading['body'] {
  const stated = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  );
  const { calories_total: total, calories_active: counted } = fields;
  const active = stated['calories_active'];
  const corrected =
    total !== undefined && counted !== undefined && typeof active === 'number'
      ? { calories_total: Number((total - counted + active).toFixed(3)) }
      : {};
  return { ...body, ...fields, ...corrected, ...stated };
}

function toSummary(day: string, fields: Readonly<Record<string, number>>): SummaryReading {
  const at = Math.floor(Date.parse(`${day}T00:00:00Z`) / DAY) * DAY;
  const body = { ...fields, derived: true };
  return {
    kind: 'summary',
    resource: 'activity',
    origin: MERGED_ORIGIN,
    key: `apple-${day}`,
    at,
    day,
    body,
    raw: null,
  };
}
