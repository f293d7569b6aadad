import { z } from 'zod';
import { AccessNotes, SingleLine, UsState, ZipCode } from '../../people/schema.ts';
import { openEnum } from '../../platform/open-enum.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { AllowedRadius } from '../areas/schema.ts';

export const AppointmentType = z
  .enum(['phlebotomy', 'patient_service_center'])
  .meta({ id: 'AppointmentType' });

/** The providers of appointments. */
export const AppointmentProvider = openEnum(['getlabs', 'phlebfinders', 'quest', 'sonora_quest']).meta({
  id: 'AppointmentProvider',
});

export const AppointmentStatus = z
  .enum(['confirmed', 'pending', 'reserved', 'in_progress', 'completed', 'cancelled'])
  .meta({ id: 'AppointmentStatus' });

const AppointmentEventStatus = z
  .enum(['pending', 'reserved', 'scheduled', 'completed', 'cancelled', 'in_progress'])
  .meta({ id: 'AppointmentEventStatus' });

const AppointmentAddress = z
  .object({
    first_line: z.string(),
    second_line: z.string().nullable(),
    city: z.string(),
    state: z.string(),
    zip_code: z.string().describe('Five digits or ZIP+4.'),
    unit: z.string().nullable().meta({ deprecated: true }),
    access_notes: z.string().nullable(),
  })
  .meta({ id: 'USAddress' });

const Location = z
  .object({ lng: z.number().min(-180).max(180), lat: z.number().min(-90).max(90) })
  .meta({ id: 'LngLat' });

/** The provider's data for a change. */
const EventData = z.record(z.string(), z.unknown()).nullable().meta({ id: 'AppointmentEventData' });

const AppointmentEventView = z
  .object({ created_at: Timestamp, status: AppointmentEventStatus, data: EventData })
  .meta({ id: 'ClientFacingAppointmentEvent' });

export const AppointmentView = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    order_id: z.guid(),
    order_transaction_id: z.guid().nullable(),
    type: AppointmentType,
    status: AppointmentStatus,
    start_at: Timestamp.nullable(),
    end_at: Timestamp.nullable(),
    iana_timezone: z.string().nullable().describe('IANA time zone of the location.'),
    address: AppointmentAddress,
    location: Location,
    provider: AppointmentProvider,
    provider_id: z.string().describe('The id of the appointment at the provider.'),
    external_id: z.string().nullable(),
    can_reschedule: z.boolean(),
    appointment_notes: z.string().max(1000).nullable(),
    event_status: AppointmentEventStatus.describe('Status of the last event.'),
    event_data: EventData,
    events: z.array(AppointmentEventView).describe('Oldest first.'),
  })
  .meta({ id: 'ClientFacingAppointment' });
export type AppointmentView = z.output<typeof AppointmentView>;

const Notes = z.string().max(1000);

/** An address in a request. Older clients send the second line as `unit`. */
const AddressInput = z
  .object({
    first_line: SingleLine.describe('Street and number.'),
    second_line: z.string().max(200).nullish().describe('Apartment, suite or unit.'),
    city: SingleLine.describe('City.'),
    state: UsState.describe('Two-letter code, as NY.'),
    zip_code: ZipCode.describe('Five digits or ZIP+4.'),
    unit: z.string().max(200).nullish().meta({ deprecated: true, description: 'Use `second_line`.' }),
    access_notes: AccessNotes.nullish().describe('How to enter the building.'),
  })
  .meta({ id: 'USAddress' });

export const AvailabilityAddress = AddressInput;
export type AvailabilityAddress = z.output<typeof AvailabilityAddress>;

/** The second line, under either of its two names. */
export const secondLineOf = ({ second_line, unit }: AvailabilityAddress): string | null =>
  second_line || unit || null;

export const HomeQuery = z.object({
  start_date: z.iso.date().nullish().describe('First of the 14 days. Defaults to today at the address.'),
});

export const CenterQuery = z.object({
  lab: z.enum(['quest', 'sonora_quest']).meta({ id: 'AppointmentPSCLabs' }),
  start_date: z.iso.date().nullish().describe('First of the 14 days. Defaults to today at each center.'),
  site_codes: z.array(z.string().min(1).max(50)).max(3).nullish().describe('Codes of up to three centers.'),
  zip_code: z
    .string()
    .regex(/^\d{5}$/, 'expected five digits')
    .nullish(),
  radius: AllowedRadius.nullish().default('25').describe('Search radius around `zip_code`, in miles.'),
  allow_stale: z
    .boolean()
    .default(false)
    .describe('Whether a cached answer, at most two minutes old, is acceptable.'),
  order_id: z
    .guid()
    .nullish()
    .describe("Extension. Instead of `zip_code`: near the address of the order's patient."),
});
export type CenterQuery = z.output<typeof CenterQuery>;

const TimeSlot = z
  .object({
    booking_key: z.string().nullable().describe('Opaque key to book this slot until `expires_at`.'),
    start: Timestamp,
    end: Timestamp,
    expires_at: Timestamp.nullable(),
    price: z.number().describe('Surcharge in US dollars.'),
    is_priority: z.boolean(),
    num_appointments_available: z.int(),
  })
  .meta({ id: 'TimeSlot' });

const DaySlots = z
  .object({
    location: z
      .object({
        location: Location,
        distance: z.int().nullable().describe('Distance from the requested ZIP code, in miles.'),
        address: AppointmentAddress,
        code: z.string(),
        name: z.string(),
        iana_timezone: z.string().nullable(),
      })
      .meta({ id: 'AppointmentLocation' })
      .nullable(),
    date: z.iso.date().describe('Day in the time zone of the location.'),
    slots: z.array(TimeSlot),
  })
  .meta({ id: 'DaySlots' });

export const AvailabilityView = z
  .object({ slots: z.array(DaySlots), timezone: z.string().nullable() })
  .meta({ id: 'AppointmentAvailabilitySlots' });
export type AvailabilityView = z.output<typeof AvailabilityView>;

export const BookBody = z
  .object({
    booking_key: z.string().min(1).max(2000).describe('The key of a slot, from the availability.'),
    appointment_notes: Notes.nullish().describe('Notes for the provider.'),
    async_confirmation: z
      .boolean()
      .default(false)
      .describe('Whether to return `pending` if the provider does not acknowledge in time.'),
    sync_confirmation_timeout_millisecond: z
      .int()
      .min(1000)
      .max(10_000)
      .nullish()
      .describe('Request timeout in milliseconds. Default 2500 with `async_confirmation`, else 10000.'),
    async_confirmation_timeout_millisecond: z
      .int()
      .min(60_000)
      .max(172_800_000)
      .nullish()
      .describe('Background timeout in milliseconds. Default 900000 (15 minutes).'),
  })
  .meta({ id: 'AppointmentBookingRequest' });
export type BookBody = z.output<typeof BookBody>;

export const RescheduleBody = z
  .object({
    booking_key: z.string().min(1).max(2000).describe('The key of the new slot, from the availability.'),
    appointment_notes: Notes.nullish().describe(
      'Notes for the provider. Absent or null keeps the current notes.',
    ),
  })
  .meta({ id: 'AppointmentRescheduleRequest' });

export const RequestBody = z
  .object({
    address: AddressInput.describe('Where the appointment takes place.'),
    provider: z
      .enum(['getlabs', 'phlebfinders', 'quest', 'sonora_quest'])
      .meta({ id: 'AppointmentProvider' })
      .describe('Who sends the phlebotomist.'),
    appointment_notes: Notes.nullish().describe('Notes for the provider.'),
  })
  .meta({ id: 'RequestAppointmentRequest' });

type ReasonIdField = 'cancellation_reason_id' | 'cancellationReasonId';

/** The two operations spell this field differently. Each accepts both spellings. */
const acceptEitherSpelling = (own: ReasonIdField, other: ReasonIdField) => (given: unknown) => {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const { [other]: spelled, ...rest }: Record<string, unknown> = { ...given };
  return rest[own] === undefined && spelled !== undefined ? { ...rest, [own]: spelled } : rest;
};

const CancelNote = z.string().max(5000).nullish().describe('Comment on the cancellation.');
const ReasonId = z.guid().describe('Id of a cancellation reason.');

export const CancelHomeBody = z.preprocess(
  acceptEitherSpelling('cancellation_reason_id', 'cancellationReasonId'),
  z
    .object({ cancellation_reason_id: ReasonId, notes: CancelNote, note: CancelNote })
    .meta({ id: 'AppointmentCancelRequest' }),
);

export const CancelCenterBody = z.preprocess(
  acceptEitherSpelling('cancellationReasonId', 'cancellation_reason_id'),
  z
    .object({ cancellationReasonId: ReasonId, note: CancelNote, notes: CancelNote })
    .meta({ id: 'AppointmentCancelRequestAlt' }),
);

export const CancellationReasons = z.array(
  z
    .object({ id: z.guid(), name: z.string(), is_refundable: z.boolean() })
    .meta({ id: 'ClientFacingAppointmentCancellationReason' }),
);
