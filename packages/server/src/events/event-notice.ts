import { z } from 'zod';
import { isoTimestamp } from '../platform/clock.ts';
import { Timestamp } from '../platform/timestamp.ts';
import type { Work } from '../platform/work.ts';
import { openEventData } from './events.ts';
import type { StoredEventRow } from './store.ts';

/** An event without its data. It has only ids, so that a page knows what to read again. */
export const EventNotice = z
  .object({
    id: z.string(),
    position: z
      .int()
      .describe('Counts the events of the team in this environment. Later events have higher positions.'),
    event_type: z.string(),
    created_at: Timestamp,
    user_id: z.guid().nullable().describe('The user that the event is about.'),
    order_id: z.guid().nullable().describe('The order that the event is about.'),
    object_id: z
      .string()
      .nullable()
      .describe('What changed: the order, appointment, parsing job, unmatched result, endpoint or key.'),
  })
  .meta({ id: 'EventNotice' });

const Id = z.guid().optional().catch(undefined);
const Ids = z
  .object({
    id: Id,
    order_id: Id,
    endpoint_id: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .optional()
      .catch(undefined),
  })
  .catch({ id: undefined, order_id: undefined, endpoint_id: undefined });

/** Takes ids only: nothing else of the data leaves the log this way. */
export function toEventNotice(work: Pick<Work, 'cipher'>, row: StoredEventRow): z.input<typeof EventNotice> {
  const { id, order_id: named, endpoint_id: endpoint } = Ids.parse(openEventData(work, row));
  const order = named ?? (row.event_type.startsWith('labtest.order.') ? id : undefined);
  return {
    id: row.id,
    position: row.position ?? 0,
    event_type: row.event_type,
    created_at: isoTimestamp(row.created_at),
    user_id: row.user_id,
    order_id: order ?? null,
    object_id: id ?? endpoint ?? order ?? null,
  };
}
