import { z } from 'zod';
import { emit } from '../../events/events.ts';
import { DAY } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { parseTimestamp } from '../../platform/timestamp-input.ts';
import type { Work } from '../../platform/work.ts';
import { orderUpdated } from './events.ts';
import { subjectOfOrder } from './order.ts';
import { lockFullOrders, type FullOrderRow } from './resend-store.ts';
import { openOrder } from './read-store.ts';
import { viewOrder } from './view.ts';

const ORDERS_MAX = 500;
const WINDOW_MAX_DAYS = 60;
/** Ids in a warning. Warnings are sent in a response header, which limits their length. */
const WARNED_IDS_MAX = 10;

const Timestamp = z.iso.datetime({ offset: true, local: true });

export const ResendEvents = z
  .object({
    order_ids: z
      .array(z.guid())
      .max(ORDERS_MAX)
      .nullish()
      .describe('The orders. Use either this or a window.'),
    start_at: Timestamp.nullish().describe(
      'Start of the window (ISO 8601, inclusive), by last change of the order.',
    ),
    end_at: Timestamp.nullish().describe('End of the window (ISO 8601, inclusive). Defaults to now.'),
  })
  .refine((body) => (body.order_ids ?? null) !== null || (body.start_at ?? null) !== null, {
    message: 'expected order_ids or start_at',
    path: ['order_ids'],
  })
  .refine((body) => !body.order_ids || !(body.start_at || body.end_at), {
    message: 'expected order_ids or a window, not both',
    path: ['start_at'],
  })
  .meta({ id: 'ResendWebhookBody' });
type ResendEvents = z.output<typeof ResendEvents>;

export const ResendEventsResponse = z
  .object({ order_ids: z.array(z.guid()).describe('The orders whose events were sent again.') })
  .meta({ id: 'ResendWebhookResponse' });

/**
 * Emits `labtest.order.updated` again with the current state of orders: those with the given ids, or those whose last
 * change is within a window. Orders that are not the team's are left out. An order that cannot be read is left out with
 * a warning, and does not block the others.
 */
export async function resendEvents(
  work: Work,
  command: ResendEvents,
  warn: (message: string) => void,
): Promise<string[]> {
  const rows = command.order_ids
    ? await lockFullOrders(work, { ids: command.order_ids, limit: ORDERS_MAX })
    : await lockChangedOrders(work, command);
  const told: string[] = [];
  const failed: string[] = [];
  for (const row of rows) ((await resendEvent(work, row)) ? told : failed).push(row.id);
  if (failed.length > 0) {
    const named = failed.slice(0, WARNED_IDS_MAX).join(', ');
    warn(`The events of ${failed.length} orders could not be sent, such as ${named}`);
  }
  return told;
}

async function lockChangedOrders(work: Work, { start_at, end_at }: ResendEvents): Promise<FullOrderRow[]> {
  const from = start_at ? parseTimestamp(start_at) : work.now;
  const to = end_at ? parseTimestamp(end_at) : work.now;
  if (to < from) throw invalidField(['body', 'end_at'], 'expected a time after start_at');
  if (to.getTime() - from.getTime() > WINDOW_MAX_DAYS * DAY) {
    throw invalidField(['body', 'start_at'], `expected a window of at most ${WINDOW_MAX_DAYS} days`);
  }
  const rows = await lockFullOrders(work, { changed: { from, to }, limit: ORDERS_MAX + 1 });
  if (rows.length > ORDERS_MAX) {
    throw invalidField(
      ['body', 'start_at'],
      `expected a window with at most ${ORDERS_MAX} orders; choose a smaller one`,
    );
  }
  return rows;
}

async function resendEvent(work: Work, row: FullOrderRow): Promise<boolean> {
  try {
    const order = await openOrder(work, row);
    await emit(work, orderUpdated, { subject: subjectOfOrder(order), data: viewOrder(order) });
    return true;
  } catch {
    return false;
  }
}
