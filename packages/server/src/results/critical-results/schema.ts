import { z } from 'zod';
import { isoTimestamp, isoTimestampOrNull } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { NOTIFICATION_CHANNELS } from './channels.ts';
import type { CriticalResult } from './record.ts';
import { CRITICAL_RESULT_STATUSES } from './status.ts';

const ChannelName = z.enum(NOTIFICATION_CHANNELS).meta({ id: 'CriticalResultChannel' });
const Status = z.enum(CRITICAL_RESULT_STATUSES).meta({ id: 'CriticalResultStatus' });

/** One line: no line breaks, no control characters. */
const SingleLineText = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');
const Notes = z.string().trim().max(2000);
const PastTimestamp = Timestamp.describe('RFC 3339 with offset, not in the future. Default: now.');

export const RecordNotificationBody = z
  .object({
    recipient_name: SingleLineText.describe('Name of the notified person.'),
    recipient_role: SingleLineText.nullish().describe(
      'Role of the notified person, for example `ordering physician`.',
    ),
    channel: ChannelName.describe('How the person was notified.'),
    notified_by: SingleLineText.nullish().describe('Name of the person who notified them.'),
    notified_at: PastTimestamp.nullish(),
    notes: Notes.nullish().describe('Free text.'),
  })
  .meta({ id: 'RecordCriticalResultNotification' });
export type RecordNotificationBody = z.output<typeof RecordNotificationBody>;

export const RecordReadBackBody = z
  .object({
    notification_id: z
      .guid()
      .nullish()
      .describe('The notification that was read back. Default: the last one that awaits a read-back.'),
    read_back: z
      .boolean()
      .describe(
        'Whether the person repeated the result correctly. Only `true` acknowledges the critical result.',
      ),
    said_back: Notes.nullish().describe('What the person repeated.'),
    verified_by: SingleLineText.nullish().describe('Name of the person who verified the read-back.'),
    read_back_at: PastTimestamp.nullish(),
    notes: Notes.nullish().describe('Free text.'),
  })
  .meta({ id: 'RecordCriticalResultReadBack' });
export type RecordReadBackBody = z.output<typeof RecordReadBackBody>;

const LIMIT_MAX = 100;
export const CriticalResultQuery = z.object({
  status: Status.nullish(),
  limit: z.int().min(1).max(LIMIT_MAX).default(50),
  next_cursor: z.string().nullish(),
});
export type CriticalResultQuery = z.output<typeof CriticalResultQuery>;

/** A critical value, as reported. */
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
    notified_at: Timestamp,
    notes: z.string().nullable(),
    read_back: z
      .boolean()
      .nullable()
      .describe('Whether it was read back correctly; null before a read-back is recorded.'),
    read_back_at: Timestamp.nullable(),
    said_back: z.string().nullable(),
    verified_by: z.string().nullable(),
    read_back_notes: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'CriticalResultNotification' });

const EmailView = z
  .object({
    reason: z.enum(['opened', 'escalated']),
    status: z.enum(['waiting', 'sent', 'failed']),
    settled_at: Timestamp.nullable().describe('When it was sent, or when sending was given up.'),
  })
  .meta({ id: 'CriticalResultEmail' });

export const CriticalResultView = z
  .object({
    id: z.guid(),
    order_id: z.guid(),
    status: Status,
    result_version: z.int().describe('The version of the order’s results that reported it.'),
    latest_result_version: z
      .int()
      .describe(
        'The latest version of the order’s results. If it is higher than `result_version`, the values may have been ' +
          'corrected.',
      ),
    laboratory: z.string(),
    sample_id: z.string().nullable(),
    results: z.array(CriticalValueView),
    reported_at: Timestamp,
    detected_at: Timestamp.describe('When the result was received; the escalation deadline starts then.'),
    escalation_due_at: Timestamp,
    escalated_at: Timestamp.nullable(),
    acknowledged_at: Timestamp.nullable(),
    emails: z
      .array(EmailView)
      .describe('E-mails to the team’s `critical_result_notification_email`; empty if it is not set.'),
    notifications: z.array(NotificationView).describe('Oldest first.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'CriticalResult' });

export const CriticalResultList = z
  .object({ data: z.array(CriticalResultView), next_cursor: z.string().nullable() })
  .meta({ id: 'CriticalResultList' });

export const viewCriticalResult = (record: CriticalResult): z.input<typeof CriticalResultView> => ({
  id: record.id,
  order_id: record.order_id,
  status: record.status,
  result_version: record.version,
  latest_result_version: record.latest_version,
  laboratory: record.private.laboratory,
  sample_id: record.private.sampleId,
  results: [...record.private.values],
  reported_at: isoTimestamp(record.reported_at),
  detected_at: isoTimestamp(record.detected_at),
  escalation_due_at: isoTimestamp(record.escalation_due_at),
  escalated_at: isoTimestampOrNull(record.escalated_at),
  acknowledged_at: isoTimestampOrNull(record.acknowledged_at),
  emails: record.emails.map(({ reason, status, settled_at }) => ({
    reason,
    status,
    settled_at: isoTimestampOrNull(settled_at),
  })),
  notifications: record.notifications.map(viewNotification),
  created_at: isoTimestamp(record.created_at),
  updated_at: isoTimestamp(record.updated_at),
});

const viewNotification = (
  told: CriticalResult['notifications'][number],
): z.input<typeof NotificationView> => ({
  id: told.id,
  recipient_name: told.private.recipientName,
  recipient_role: told.private.recipientRole,
  channel: told.channel,
  notified_by: told.private.notifiedBy,
  notified_at: isoTimestamp(told.notified_at),
  notes: told.private.notes,
  read_back: told.read_back,
  read_back_at: isoTimestampOrNull(told.read_back_at),
  said_back: told.private.saidBack ?? null,
  verified_by: told.private.verifiedBy ?? null,
  read_back_notes: told.private.readBackNotes ?? null,
  created_at: isoTimestamp(told.created_at),
});
