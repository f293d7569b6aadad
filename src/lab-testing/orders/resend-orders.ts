import { z } from 'zod';
import { emit } from '../../events/events.ts';
import { DAY } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { momentIn } from '../../platform/given-moments.ts';
import type { Work } from '../../platform/work.ts';
import { orderUpdated } from './events.ts';
import { subjectOfOrder } from './order.ts';
import { holdWhole, type WholeRow } from './resend-store.ts';
import { openOrder } from './read-store.ts';
import { viewOrder } from './view.ts';

const ORDERS_MAX = 500;
const WINDOW_MAX_DAYS = 60;
/** A header has no room for more. */
const NAMED_MAX = 10;

const Moment = z.iso.datetime({ offset: true, local: true });

export const ResendEvents = z
  .object({
    order_ids: z.array(z.guid()).max(ORDERS_MAX).nullish(),
    start_at: Moment.nullish().describe('Orders that last changed from this moment on.'),
    end_at: Moment.nullish().describe('Orders that last changed up to this moment; now, when left out.'),
  })
  .refine((body) => (body.order_ids ?? null) !== null || (body.start_at ?? null) !== null, {
    message: 'expected order_ids, or start_at',
    path: ['order_ids'],
  })
  .refine((body) => !body.order_ids || !(body.start_at || body.end_at), {
    message: 'expected order_ids or a window, not both',
    path: ['start_at'],
  })
  .meta({ id: 'ResendWebhookBody' });
type ResendEvents = z.output<typeof ResendEvents>;

export const ResentEvents = z
  .object({ order_ids: z.array(z.guid()).describe('The orders that were told of again.') })
  .meta({ id: 'ResendWebhookResponse' });

/**
 * Says once more, as an update, how orders stand: those that are named, or those whose last change lies in a window
 * (what changed once more was told of then). What is not the team's is left out of the answer. An order that cannot be told of is left out too, with a warning, and
 * does not keep the others back.
 */
export async function resendEvents(
  work: Work,
  command: ResendEvents,
  warn: (message: string) => void,
): Promise<string[]> {
  const rows = command.order_ids
    ? await holdWhole(work, { ids: command.order_ids, limit: ORDERS_MAX })
    : await changedWithin(work, command);
  const told: string[] = [];
  const failed: string[] = [];
  for (const row of rows) ((await tellAgain(work, row)) ? told : failed).push(row.id);
  if (failed.length > 0) {
    const named = failed.slice(0, NAMED_MAX).join(', ');
    warn(`${failed.length} orders could not be told of, such as ${named}`);
  }
  return told;
}

async function changedWithin(work: Work, { start_at, end_at }: ResendEvents): Promise<WholeRow[]> {
  const from = start_at ? momentIn(start_at) : work.now;
  const to = end_at ? momentIn(end_at) : work.now;
  if (to < from) throw invalidField(['body', 'end_at'], 'expected a moment after start_at');
  if (to.getTime() - from.getTime() > WINDOW_MAX_DAYS * DAY) {
    throw invalidField(['body', 'start_at'], `expected a window of at most ${WINDOW_MAX_DAYS} days`);
  }
  const rows = await holdWhole(work, { changed: { from, to }, limit: ORDERS_MAX + 1 });
  if (rows.length > ORDERS_MAX) {
    throw invalidField(
      ['body', 'start_at'],
      `expected a window with at most ${ORDERS_MAX} orders; choose a smaller one`,
    );
  }
  return rows;
}

async function tellAgain(work: Work, row: WholeRow): Promise<boolean> {
  try {
    const order = await openOrder(work, row);
    await emit(work, orderUpdated, { subject: subjectOfOrder(order), data: viewOrder(order) });
    return true;
  } catch {
    return false;
  }
}
