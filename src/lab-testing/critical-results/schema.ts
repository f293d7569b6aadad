import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { CHANNELS } from './channels.ts';
import type { CriticalResult } from './record.ts';
import { CRITICAL_RESULT_STATUSES } from './status.ts';

const moment = z.iso.datetime({ offset: true });

const ChannelName = z.enum(CHANNELS).meta({ id: 'CriticalResultChannel' });
const Status = z.enum(CRITICAL_RESULT_STATUSES).meta({ id: 'CriticalResultStatus' });

/** One line: no line breaks, no control characters. */
const Line = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');
const Notes = z.string().trim().max(2000);
const When = moment.describe('Now, when left out. Not in the future.');

export const RecordNotification = z
  .object({
    recipient_name: Line.describe('Who was told.'),
    recipient_role: Line.nullish().describe('What makes them responsible, as `ordering physician`.'),
    channel: ChannelName.describe('By which way they were told.'),
    notified_by: Line.nullish().describe('Who told them.'),
    notified_at: When.nullish(),
    notes: Notes.nullish(),
  })
  .meta({ id: 'RecordCriticalResultNotification' });
export type RecordNotification = z.output<typeof RecordNotification>;

export const RecordReadBack = z
  .object({
    notification_id: z
      .guid()
      .nullish()
      .describe('The notification that was read back; without it the last one that waits for it.'),
    read_back: z
      .boolean()
      .describe('Whether who was told repeated the result rightly. Only true acknowledges it.'),
    said_back: Notes.nullish().describe('What they said.'),
    verified_by: Line.nullish().describe('Who heard it.'),
    read_back_at: When.nullish(),
    notes: Notes.nullish(),
  })
  .meta({ id: 'RecordCriticalResultReadBack' });
export type RecordReadBack = z.output<typeof RecordReadBack>;

const LIMIT_MAX = 100;
export const CriticalResultQuery = z.object({
  status: Status.nullish(),
  limit: z.int().min(1).max(LIMIT_MAX).default(50),
  next_cursor: z.string().nullish(),
});
export type CriticalResultQuery = z.output<typeof CriticalResultQuery>;

/** What is critical, as the report says it. */
const CriticalValueView = z
  .object({
    name: z.string(),
    slug: z.string(),
    loinc: z.string().nullable(),
    provider_id: z.string().nullable(),
    result: z.string().describe('As printed, for example `6.4` or `<0.2`.'),
    unit: z.string().nullable(),
    reference_range: z.string().nullable(),
    notes: z.string().nullable(),
  })
  .meta({ id: 'CriticalValue' });

const NotificationView = z
  .object({
    id: z.guid(),
    recipient_name: z.string(),
    recipient_role: z.string().nullable(),
    channel: ChannelName,
    notified_by: z.string().nullable(),
    notified_at: moment,
    notes: z.string().nullable(),
    read_back: z.boolean().nullable().describe('Null until somebody says whether it was read back.'),
    read_back_at: moment.nullable(),
    said_back: z.string().nullable(),
    verified_by: z.string().nullable(),
    read_back_notes: z.string().nullable(),
    created_at: moment,
  })
  .meta({ id: 'CriticalResultNotification' });

const EmailView = z
  .object({
    reason: z.enum(['opened', 'escalated']),
    status: z.enum(['waiting', 'sent', 'failed']),
    settled_at: moment.nullable().describe('When it was sent or given up.'),
  })
  .meta({ id: 'CriticalResultEmail' });

export const CriticalResultView = z
  .object({
    id: z.guid(),
    order_id: z.guid(),
    status: Status,
    result_version: z.int().describe('The version of the order’s results that said it.'),
    latest_result_version: z
      .int()
      .describe(
        'The newest version there is: where it is higher, read it, what was critical may be corrected.',
      ),
    laboratory: z.string(),
    sample_id: z.string().nullable(),
    results: z.array(CriticalValueView),
    reported_at: moment,
    detected_at: moment.describe('When it came to us; the deadline runs from here.'),
    escalation_due_at: moment,
    escalated_at: moment.nullable(),
    acknowledged_at: moment.nullable(),
    emails: z
      .array(EmailView)
      .describe('To the team’s critical_result_notification_email; none without one.'),
    notifications: z.array(NotificationView).describe('Oldest first.'),
    created_at: moment,
    updated_at: moment,
  })
  .meta({ id: 'CriticalResult' });

export const CriticalResultList = z
  .object({ data: z.array(CriticalResultView), next_cursor: z.string().nullable() })
  .meta({ id: 'CriticalResultList' });

const maybe = (at: Date | null) => (at ? isoMoment(at) : null);

export const viewCriticalResult = (record: CriticalResult): z.input<typeof CriticalResultView> => ({
  id: record.id,
  order_id: record.order_id,
  status: record.status,
  result_version: record.version,
  latest_result_version: record.latest_version,
  laboratory: record.private.laboratory,
  sample_id: record.private.sampleId,
  results: [...record.private.values],
  reported_at: isoMoment(record.reported_at),
  detected_at: isoMoment(record.detected_at),
  escalation_due_at: isoMoment(record.escalation_due_at),
  escalated_at: maybe(record.escalated_at),
  acknowledged_at: maybe(record.acknowledged_at),
  emails: record.emails.map(({ reason, status, settled_at }) => ({
    reason,
    status,
    settled_at: maybe(settled_at),
  })),
  notifications: record.notifications.map(viewNotification),
  created_at: isoMoment(record.created_at),
  updated_at: isoMoment(record.updated_at),
});

const viewNotification = (
  told: CriticalResult['notifications'][number],
): z.input<typeof NotificationView> => ({
  id: told.id,
  recipient_name: told.private.recipientName,
  recipient_role: told.private.recipientRole,
  channel: told.channel,
  notified_by: told.private.notifiedBy,
  notified_at: isoMoment(told.notified_at),
  notes: told.private.notes,
  read_back: told.read_back,
  read_back_at: maybe(told.read_back_at),
  said_back: told.private.saidBack ?? null,
  verified_by: told.private.verifiedBy ?? null,
  read_back_notes: told.private.readBackNotes ?? null,
  created_at: isoMoment(told.created_at),
});
