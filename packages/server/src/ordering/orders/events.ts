import { z } from 'zod';
import { defineEvent } from '../../events/events.ts';
import { OrderView } from './schema.ts';
import { Timestamp } from '../../platform/timestamp.ts';

export const orderCreated = defineEvent({
  type: 'labtest.order.created',
  data: OrderView,
  when: 'An order was placed. Carries the whole order.',
});

export const orderUpdated = defineEvent({
  type: 'labtest.order.updated',
  data: OrderView,
  when: 'An order moved to another step, or its data changed. Carries the whole order.',
});

export const criticalResult = defineEvent({
  type: 'labtest.result.critical',
  data: z.object({
    order_id: z.guid(),
    sample_id: z.string(),
    status: z.string(),
    interpretation: z.string(),
    team_id: z.guid(),
    user_id: z.guid(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  when: 'A result of an order is critical and needs immediate attention.',
});
