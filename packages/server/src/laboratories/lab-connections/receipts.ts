import { z } from 'zod';
import type { MessageReceipt } from './ingestion.ts';

const MessageReceiptView = z.object({
  id: z
    .guid()
    .nullable()
    .describe('The id of the stored message; null if it was not stored for a connection.'),
  control_id: z.string(),
  code: z.enum(['AA', 'AE', 'AR']),
  reason: z.string().nullable(),
});
export const MessageReceiptsView = z
  .object({ messages: z.array(MessageReceiptView) })
  .meta({ id: 'LabMessagesReceived' });

export const toReceiptsView = (receipts: readonly MessageReceipt[]): z.input<typeof MessageReceiptsView> => ({
  messages: receipts.map(({ id, head, code, reason }) => ({
    id,
    control_id: head.controlId,
    code,
    reason,
  })),
});
