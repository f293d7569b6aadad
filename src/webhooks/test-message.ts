import type { App } from '../app.ts';
import { eventRow, type EventType } from '../events/events.ts';
import { audited, type Acting } from '../management/management.ts';
import { invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { NOBODY } from './disable-endpoint.ts';
import { OPERATIONAL } from './events.ts';
import { EXAMPLE_ID, exampleOf } from './example.ts';
import { wants } from './filter.ts';
import { holdEnabled } from './resend.ts';
import { messageId } from './signing/signature.ts';
import { insertTest } from './test-store.ts';

const SOMEBODY = { userId: EXAMPLE_ID, clientUserId: 'example' };

export interface TestCommand {
  readonly id: string;
  readonly type: string | null;
  /** Every event that there is. */
  readonly catalog: readonly EventType[];
}

/**
 * Sends made-up data of an event type to one endpoint, whatever its filter says, signed and tried like any message and
 * marked by the header webhook-test. It is no event: neither the log nor another endpoint gets it, it is not counted,
 * and nobody is told when it is given up.
 */
export const sendTest = (
  app: App,
  acting: Acting,
  { id, type, catalog }: TestCommand,
): Promise<{ message_id: string; event_type: string }> =>
  audited(app, acting, async (work) => {
    const endpoint = await holdEnabled(work, id);
    const event = type === null ? firstWanted(catalog, endpoint.filter_types) : named(catalog, type);
    const subject = OPERATIONAL.has(event.type) ? NOBODY : SOMEBODY;
    const row = eventRow(work, event, { subject, data: exampleOf(event.data, work.now) });
    await insertTest(work, { event: row, delivery: { id: newId(), endpointId: endpoint.id } });
    work.rings.add('deliveries');
    const value = { message_id: messageId(row.id), event_type: event.type };
    return { value, deed: { action: 'webhook.test', subject: endpoint.id, after: value } };
  });

function named(catalog: readonly EventType[], type: string): EventType {
  const event = catalog.find((each) => each.type === type);
  if (!event)
    throw invalidField(['body', 'event_type'], `expected the type of an event; there is no ${type}`);
  return event;
}

function firstWanted(catalog: readonly EventType[], filter: readonly string[] | null): EventType {
  const event = catalog.find((each) => wants(filter, each.type)) ?? catalog[0];
  if (!event) throw new Error('There are no events');
  return event;
}
