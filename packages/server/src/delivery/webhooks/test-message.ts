import type { App } from '../../app.ts';
import { toEventRow, type EventType, messageId } from '../../events/events.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { NO_SUBJECT } from './disable-endpoint.ts';
import { OPERATIONAL_EVENT_TYPES } from './events.ts';
import { EXAMPLE_ID, exampleOf } from './example.ts';
import { matchesFilter } from './filter.ts';
import { lockEnabledEndpoint } from './resend.ts';
import { insertTest } from './test-store.ts';

const EXAMPLE_SUBJECT = { userId: EXAMPLE_ID, clientUserId: 'example' };

interface TestMessageCommand {
  readonly id: string;
  readonly type: string | null;
  /** All event types. */
  readonly catalog: readonly EventType[];
}

/**
 * Sends example data of an event type to one endpoint, regardless of its filter, signed and retried like any message
 * and marked by the header webhook-test. It is not in the event log, goes to no other endpoint, is not counted, and
 * emits no event when it is exhausted.
 */
export const sendTest = (
  app: App,
  acting: TenantChangeContext,
  { id, type, catalog }: TestMessageCommand,
): Promise<{ message_id: string; event_type: string }> =>
  runAuditedChange(app, acting, async (work) => {
    const endpoint = await lockEnabledEndpoint(work, id);
    const event =
      type === null ? firstMatchingType(catalog, endpoint.filter_types) : findEventType(catalog, type);
    const subject = OPERATIONAL_EVENT_TYPES.has(event.type) ? NO_SUBJECT : EXAMPLE_SUBJECT;
    const row = toEventRow(work, event, { subject, data: exampleOf(event.data, work.now) });
    await insertTest(work, { event: row, delivery: { id: newId(), endpointId: endpoint.id } });
    work.wakeups.add('deliveries');
    const value = { message_id: messageId(row.id), event_type: event.type };
    return { value, deed: { action: 'webhook.test', subject: endpoint.id, after: value } };
  });

function findEventType(catalog: readonly EventType[], type: string): EventType {
  const event = catalog.find((each) => each.type === type);
  if (!event)
    throw invalidField(
      ['body', 'event_type'],
      `expected an event type of the catalog; ${type} does not exist`,
    );
  return event;
}

function firstMatchingType(catalog: readonly EventType[], filter: readonly string[] | null): EventType {
  const event = catalog.find((each) => matchesFilter(filter, each.type)) ?? catalog[0];
  if (!event) throw new Error('There are no events');
  return event;
}
