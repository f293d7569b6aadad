import { z } from 'zod';
import { AccessNotes, Line, UsState, ZipCode } from '../../people/schema.ts';
import { openList } from '../../platform/open-list.ts';
import { AllowedRadius } from '../areas/schema.ts';

const Moment = z.iso.datetime({ offset: true });

export const AppointmentType = z
  .enum(['phlebotomy', 'patient_service_center'])
  .meta({ id: 'AppointmentType' });

/** Who sees the patient. */
export const AppointmentProvider = openList(['getlabs', 'phlebfinders', 'quest', 'sonora_quest']).meta({
  id: 'AppointmentProvider',
});

export const AppointmentStatus = z
  .enum(['confirmed', 'pending', 'reserved', 'in_progress', 'completed', 'cancelled'])
  .meta({ id: 'AppointmentStatus' });

export const AppointmentEventStatus = z
  .enum(['pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress'])
  .meta({ id: 'AppointmentEventStatus' });

const AppointmentAddress = z
  .object({
    first_line: z.string(),
    second_line: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip_code: z.string().describe('Five digits, or nine as ZIP+4.'),
    unit: z.string().nullable().meta({ deprecated: true }),
    access_notes: z.string().nullable(),
  })
  .meta({ id: 'USAddress' });

const Location = z
  .object({ lng: z.number().min(-180).max(180), lat: z.number().min(-90).max(90) })
  .meta({ id: 'LngLat' });

/** What the provider said with a change, in its own words. */
const Particulars = z.record(z.string(), z.unknown()).nullable();

const AppointmentEventView = z
  .object({ created_at: Moment, status: AppointmentEventStatus, data: Particulars })
  .meta({ id: 'ClientFacingAppointmentEvent' });

export const AppointmentView = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    order_id: z.guid(),
    order_transaction_id: z.guid().nullable(),
    type: AppointmentType,
    status: AppointmentStatus,
    start_at: Moment.nullable(),
    end_at: Moment.nullable(),
    iana_timezone: z.string().nullable().describe('Of the place.'),
    address: AppointmentAddress,
    location: Location,
    provider: AppointmentProvider,
    provider_id: z.string().describe('The appointment, as the provider calls it.'),
    external_id: z.string().nullable(),
    can_reschedule: z.boolean(),
    appointment_notes: z.string().max(1000).nullable(),
    event_status: AppointmentEventStatus.describe('That of the last event.'),
    event_data: Particulars,
    events: z.array(AppointmentEventView).describe('Oldest first.'),
  })
  .meta({ id: 'ClientFacingAppointment' });
export type AppointmentView = z.output<typeof AppointmentView>;

const Notes = z.string().max(1000);

/** The lines of an address as callers give it; `unit` is what older clients call the second line. */
const GivenAddress = z
  .object({
    first_line: Line,
    second_line: z.string().max(200).nullish(),
    city: Line,
    state: UsState,
    zip_code: ZipCode.describe('Five digits, or nine as ZIP+4.'),
    unit: z.string().max(200).nullish().meta({ deprecated: true }),
    access_notes: AccessNotes.nullish(),
  })
  .meta({ id: 'USAddress' });

export const AvailabilityAddress = GivenAddress;
export type AvailabilityAddress = z.output<typeof AvailabilityAddress>;

/** Under whichever of its two names it was given. */
export const secondLineOf = ({ second_line, unit }: AvailabilityAddress): string | null =>
  second_line || unit || null;

export const HomeQuery = z.object({
  start_date: z.iso.date().nullish().describe('First of the 14 days; today where the home is when left out.'),
});

export const CenterQuery = z.object({
  lab: z.enum(['quest', 'sonora_quest']).meta({ id: 'AppointmentPSCLabs' }),
  start_date: z.iso.date().nullish().describe('First of the 14 days; today at each center when left out.'),
  site_codes: z.array(z.string().min(1).max(50)).max(3).nullish().describe('At most three centers.'),
  zip_code: z
    .string()
    .regex(/^\d{5}$/, 'expected five digits')
    .nullish(),
  radius: AllowedRadius.nullish().default('25').describe('In miles, around zip_code.'),
  allow_stale: z
    .boolean()
    .default(false)
    .describe('Whether an answer that is kept for two minutes at most will do.'),
  order_id: z
    .guid()
    .nullish()
    .describe("Ours. Instead of zip_code: near the address of this order's patient."),
});
export type CenterQuery = z.output<typeof CenterQuery>;

const TimeSlot = z
  .object({
    booking_key: z
      .string()
      .nullable()
      .describe('Opaque. Books this slot, for this team, until `expires_at`.'),
    start: Moment,
    end: Moment,
    expires_at: Moment.nullable(),
    price: z.number().describe('In US dollars, beyond the visit.'),
    is_priority: z.boolean(),
    num_appointments_available: z.int(),
  })
  .meta({ id: 'TimeSlot' });

const DaySlots = z
  .object({
    location: z
      .object({
        location: Location,
        distance: z.int().nullable().describe('In miles, from the zip code that was asked for.'),
        address: AppointmentAddress,
        code: z.string(),
        name: z.string(),
        iana_timezone: z.string().nullable(),
      })
      .meta({ id: 'AppointmentLocation' })
      .nullable(),
    date: z.iso.date().describe('In the time zone of the place.'),
    slots: z.array(TimeSlot),
  })
  .meta({ id: 'DaySlots' });

export const AvailabilityView = z
  .object({ slots: z.array(DaySlots), timezone: z.string().nullable() })
  .meta({ id: 'AppointmentAvailabilitySlots' });
export type AvailabilityView = z.output<typeof AvailabilityView>;

export const BookBody = z
  .object({
    booking_key: z.string().min(1).max(2000),
    appointment_notes: Notes.nullish(),
    async_confirmation: z
      .boolean()
      .default(false)
      .describe('Whether `pending` is answered where the provider has not acknowledged in time.'),
    sync_confirmation_timeout_millisecond: z
      .int()
      .min(1000)
      .max(10_000)
      .nullish()
      .describe('How long the request waits: 2500 with async_confirmation, else 10000 when left out.'),
    async_confirmation_timeout_millisecond: z
      .int()
      .min(60_000)
      .max(172_800_000)
      .nullish()
      .describe('How long it is tried in the background: 15 minutes when left out.'),
  })
  .meta({ id: 'AppointmentBookingRequest' });
export type BookBody = z.output<typeof BookBody>;

export const RescheduleBody = z
  .object({
    booking_key: z.string().min(1).max(2000),
    appointment_notes: Notes.nullish().describe('Replaces the notes when given.'),
  })
  .meta({ id: 'AppointmentRescheduleRequest' });

export const RequestBody = z
  .object({
    address: GivenAddress,
    provider: z
      .enum(['getlabs', 'phlebfinders', 'quest', 'sonora_quest'])
      .meta({ id: 'AppointmentProvider' }),
    appointment_notes: Notes.nullish(),
  })
  .meta({ id: 'RequestAppointmentRequest' });

type Spelling = 'cancellation_reason_id' | 'cancellationReasonId';

/** The two operations spell the field in two ways, and each takes the other's as well. */
const spelledAs = (own: Spelling, other: Spelling) => (given: unknown) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { [other]: spelled, ...rest }: Record<string, unknown> = { ...given };
  return rest[own] === undefined && spelled !== undefined ? { ...rest, [own]: spelled } : rest;
};

const CancelNote = z.string().max(5000).nullish();

export const CancelHomeBody = z.preprocess(
  spelledAs('cancellation_reason_id', 'cancellationReasonId'),
  z
    .object({ cancellation_reason_id: z.guid(), notes: CancelNote, note: CancelNote })
    .meta({ id: 'AppointmentCancelRequest' }),
);

export const CancelCenterBody = z.preprocess(
  spelledAs('cancellationReasonId', 'cancellation_reason_id'),
  z
    .object({ cancellationReasonId: z.guid(), note: CancelNote, notes: CancelNote })
    .meta({ id: 'AppointmentCancelRequestAlt' }),
);

export const CancellationReasons = z.array(
  z
    .object({ id: z.guid(), name: z.string(), is_refundable: z.boolean() })
    .meta({ id: 'ClientFacingAppointmentCancellationReason' }),
);
