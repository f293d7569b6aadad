import { z } from 'zod';
import { readTenant, type Platform } from '../platform/work.ts';
import { type Tenant, toTenantKey } from '../platform/tenant.ts';
import { openEventData, type EventType, type SequencedEvent, type EventHandler } from './events.ts';
import * as store from './store.ts';

/** The number of queued events per type; further ones are skipped. */
const QUEUED_PER_TYPE_MAX = 4;
const EVENTS_PER_CHECK = 20;

interface PayloadCheck {
  /** Queues events in memory. Does no I/O, because it runs while the fan-out holds the logs of tenants. */
  readonly eventHandler: EventHandler<Platform>;
  /** Checks some queued events and logs mismatches. Always returns false, so the loop waits for the next interval. */
  readonly checkNext: () => Promise<boolean>;
}

/**
 * Validates sent payloads against the event catalog. A mismatch is a defect of this service, and not sending the
 * event would not help its receiver: it is sent anyway, and an error is logged with the type, the event and the
 * paths, never a value.
 *
 * The check runs after the fan-out instead of in `emit`, so it costs requests nothing and ignores events that were
 * rolled back. It has to read and decrypt the events again, so its rate is bounded: a few events per type, so that a
 * flood of one type does not hide another, and one small batch a second. With little traffic that covers every event;
 * with much traffic it is a sample of every type.
 */
export function openPayloadCheck(app: Platform, catalog: readonly EventType[]): PayloadCheck {
  const noted = new Map<string, SequencedEvent[]>();
  const types = new Map(catalog.map(({ type, data }) => [type, toCheckedType(data)]));
  return {
    eventHandler: {
      name: 'events.payload-check',
      handle: async (_app, _tx, events) => enqueueEvents(noted, events),
    },
    checkNext: async () => {
      for (const [tenant, ids] of groupByTenant(takeNext(noted)))
        await checkEvents(app, types, { tenant, ids });
      return false;
    },
  };
}

function enqueueEvents(noted: Map<string, SequencedEvent[]>, events: readonly SequencedEvent[]): void {
  for (const event of events) {
    const waiting = noted.get(event.type);
    if (!waiting) noted.set(event.type, [event]);
    else if (waiting.length < QUEUED_PER_TYPE_MAX) waiting.push(event);
  }
}

/** Takes the types that wait longest; a type that is queued again goes to the end. */
function takeNext(noted: Map<string, SequencedEvent[]>): SequencedEvent[] {
  const chosen: SequencedEvent[] = [];
  for (const [type, events] of noted) {
    if (chosen.length >= EVENTS_PER_CHECK) break;
    chosen.push(...events);
    noted.delete(type);
  }
  return chosen;
}

function groupByTenant(events: readonly SequencedEvent[]): [Tenant, string[]][] {
  const tenants = new Map<string, [Tenant, string[]]>();
  for (const { tenant, id } of events) {
    const key = toTenantKey(tenant);
    const [, ids] = tenants.get(key) ?? [tenant, []];
    tenants.set(key, [tenant, [...ids, id]]);
  }
  return [...tenants.values()];
}

interface CheckedEventType {
  readonly schema: z.ZodType;
  /** The names of all fields; any other key is data, such as the name of a food, and is not logged. */
  readonly fields: () => ReadonlySet<string>;
}

function toCheckedType(schema: z.ZodType): CheckedEventType {
  let fields: ReadonlySet<string> | undefined;
  return {
    schema,
    fields: () => (fields ??= new Set(collectFieldNames(z.toJSONSchema(schema, { unrepresentable: 'any' })))),
  };
}

function collectFieldNames(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'properties'
      ? [...Object.keys(value), ...collectFieldNames(Object.values(value))]
      : collectFieldNames(value),
  );
}

async function checkEvents(
  app: Platform,
  types: ReadonlyMap<string, CheckedEventType>,
  { tenant, ids }: { tenant: Tenant; ids: readonly string[] },
): Promise<void> {
  const events = await readTenant(app, tenant, async (work) =>
    (await store.listSealedData(work, ids)).map((row) => ({ ...row, data: openEventData(work, row) })),
  );
  for (const { id, event_type, data } of events) {
    const places = findMismatches(types.get(event_type), data);
    if (places.length === 0) continue;
    app.log.error(
      { event_type, event_id: id, team_id: tenant.teamId, environment: tenant.environment, places },
      'event data do not match the schema of the event type',
    );
  }
}

/** The paths that do not match, for example `events[].status: invalid_value`; empty if all match. */
function findMismatches(type: CheckedEventType | undefined, data: unknown): string[] {
  if (!type) return ['the catalog has no such event type'];
  const parsed = type.schema.safeParse(data);
  if (parsed.success) return [];
  const fields = type.fields();
  const places = parsed.error.issues.map(({ path, code }) => `${formatPath(path, fields)}: ${code}`);
  return [...new Set(places)];
}

const formatPath = (path: readonly PropertyKey[], fields: ReadonlySet<string>): string =>
  path
    .map((part) => (typeof part === 'number' ? '[]' : `.${fields.has(String(part)) ? String(part) : '*'}`))
    .join('')
    .replace(/^\./, '') || 'data';
