import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { PageCursor } from '../../platform/http/page.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type { Work } from '../../platform/work.ts';
import type { AppointmentOfList } from './calendar-store.ts';
import { AppointmentProvider, AppointmentStatus, AppointmentType } from './schema.ts';
import { canReschedule } from './view.ts';

const LIMIT_MAX = 200;

export const AppointmentListQuery = z.object({
  from: TimestampInput.nullish().describe('Begins at or after this time.'),
  to: TimestampInput.nullish().describe('Begins before this time.'),
  has_time: z
    .boolean()
    .nullish()
    .describe(
      'Whether the provider has set a time. With `from` or `to`, only appointments with a time are listed.',
    ),
  type: AppointmentType.nullish(),
  status: z.array(AppointmentStatus).max(6).nullish().describe('One of these statuses.'),
  next_cursor: PageCursor,
  limit: z.int().min(1).max(LIMIT_MAX).default(50),
});
export type AppointmentListQuery = z.output<typeof AppointmentListQuery>;

const AppointmentListItem = z
  .object({
    id: z.guid(),
    order_id: z.guid(),
    user_id: z.guid(),
    patient_first_name: z.string().nullable(),
    patient_last_name: z.string().nullable(),
    type: AppointmentType,
    status: AppointmentStatus,
    start_at: Timestamp.nullable().describe('Null until the provider has set a time.'),
    end_at: Timestamp.nullable(),
    iana_timezone: z.string().describe('IANA time zone of the place.'),
    place: z
      .object({
        name: z.string().describe('The name of the center; for a visit at home, that of the area.'),
        city: z.string(),
        state: z.string(),
        zip_code: z.string(),
      })
      .describe('Without the street, which the appointment itself has.'),
    provider: AppointmentProvider,
    can_reschedule: z.boolean(),
  })
  .meta({ id: 'AppointmentListItem' });

export const AppointmentList = z.object({
  data: z.array(AppointmentListItem).describe('By start; those without a time last.'),
  next_cursor: z.string().nullable(),
});

export function toListItem(
  work: Pick<Work, 'now'>,
  appointment: AppointmentOfList,
): z.input<typeof AppointmentListItem> {
  const { address, name } = appointment.private.place;
  return {
    id: appointment.id,
    order_id: appointment.order_id,
    user_id: appointment.user_id,
    patient_first_name: appointment.patient?.first_name ?? null,
    patient_last_name: appointment.patient?.last_name ?? null,
    type: appointment.type,
    status: appointment.status,
    start_at: appointment.start_at && isoTimestamp(appointment.start_at),
    end_at: appointment.end_at && isoTimestamp(appointment.end_at),
    iana_timezone: appointment.time_zone,
    place: { name, city: address.city, state: address.state, zip_code: address.zip },
    provider: appointment.provider,
    can_reschedule: canReschedule(work, appointment),
  };
}
