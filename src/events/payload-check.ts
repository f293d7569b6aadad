import { z } from 'zod';
import { readTenant, type Platform } from '../platform/work.ts';
import type { Tenant } from '../platform/tenant.ts';
import { eventData, type EventType, type PlacedEvent, type Reaction } from './events.ts';
import * as store from './store.ts';

/** How many events of one type wait for a look; of more, the later ones are let go. */
const WAITING_PER_TYPE = 4;
const EVENTS_PER_LOOK = 20;

export interface PayloadCheck {
  /** Takes note of what is placed. Asks nobody and writes nothing: it stands inside the lock of the fan-out. */
  readonly reaction: Reaction<Platform>;
  /** Looks at some of what was noted, and logs what does not fit. Never says that there is more: it does not hurry. */
  readonly look: () => Promise<boolean>;
}

/**
 * Compares what was sent with what the catalogue promises. A payload that does not fit is a fault of ours that a
 * receiver cannot mend by our refusing to send, so it goes out all the same, and an error is logged that names the
 * type, the event and the places, never a value.
 *
 * It is done here, behind the fan-out, and not in `emit`: a request pays nothing for it, and what was undone is not
 * complained of. The price is to read and unseal again what was just written, so the pace is bounded: a few events of
 * each type at a time, so that a flood of one type does not hide another, and one small round a second, whatever the
 * traffic. With little traffic that is every event; with much it is a sample of every type.
 */
export function openPayloadCheck(app: Platform, catalog: readonly EventType[]): PayloadCheck {
  const noted = new Map<string, PlacedEvent[]>();
  const types = new Map(catalog.map(({ type, data }) => [type, typeOf(data)]));
  return {
    reaction: { name: 'events.payload-check', take: async (_app, _tx, events) => note(noted, events) },
    look: async () => {
      for (const [tenant, ids] of byTenant(next(noted))) await lookAt(app, types, { tenant, ids });
      return false;
    },
  };
}

function note(noted: Map<string, PlacedEvent[]>, events: readonly PlacedEvent[]): void {
  for (const event of events) {
    const waiting = noted.get(event.type);
    if (!waiting) noted.set(event.type, [event]);
    else if (waiting.length < WAITING_PER_TYPE) waiting.push(event);
  }
}

/** Takes the types that wait longest; a type that comes again stands behind the others. */
function next(noted: Map<string, PlacedEvent[]>): PlacedEvent[] {
  const chosen: PlacedEvent[] = [];
  for (const [type, events] of noted) {
    if (chosen.length >= EVENTS_PER_LOOK) break;
    chosen.push(...events);
    noted.delete(type);
  }
  return chosen;
}

function byTenant(events: readonly PlacedEvent[]): [Tenant, string[]][] {
  const tenants = new Map<string, [Tenant, string[]]>();
  for (const { tenant, id } of events) {
    const key = `${tenant.teamId}/${tenant.environment}`;
    const [, ids] = tenants.get(key) ?? [tenant, []];
    tenants.set(key, [tenant, [...ids, id]]);
  }
  return [...tenants.values()];
}

interface CheckedType {
  readonly schema: z.ZodType;
  /** The names of all fields; any other key is a word of the data, as the name of a food. */
  readonly fields: () => ReadonlySet<string>;
}

function typeOf(schema: z.ZodType): CheckedType {
  let fields: ReadonlySet<string> | undefined;
  return {
    schema,
    fields: () => (fields ??= new Set(fieldsOf(z.toJSONSchema(schema, { unrepresentable: 'any' })))),
  };
}

function fieldsOf(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'properties' ? [...Object.keys(value), ...fieldsOf(Object.values(value))] : fieldsOf(value),
  );
}

async function lookAt(
  app: Platform,
  types: ReadonlyMap<string, CheckedType>,
  { tenant, ids }: { tenant: Tenant; ids: readonly string[] },
): Promise<void> {
  const events = await readTenant(app, tenant, async (work) =>
    (await store.readData(work, ids)).map((row) => ({ ...row, data: eventData(work, row) })),
  );
  for (const { id, event_type, data } of events) {
    const places = misfits(types.get(event_type), data);
    if (places.length === 0) continue;
    app.log.error(
      { event_type, event_id: id, team_id: tenant.teamId, environment: tenant.environment, places },
      'The data of an event do not fit its schema',
    );
  }
}

/** Where data do not fit, as `events[].status: invalid_value`; empty when they do. */
function misfits(type: CheckedType | undefined, data: unknown): string[] {
  if (!type) return ['the catalogue has no such type'];
  const parsed = type.schema.safeParse(data);
  if (parsed.success) return [];
  const fields = type.fields();
  const places = parsed.error.issues.map(({ path, code }) => `${placeOf(path, fields)}: ${code}`);
  return [...new Set(places)];
}

const placeOf = (path: readonly PropertyKey[], fields: ReadonlySet<string>): string =>
  path
    .map((part) => (typeof part === 'number' ? '[]' : `.${fields.has(String(part)) ? String(part) : '*'}`))
    .join('')
    .replace(/^\./, '') || 'data';
