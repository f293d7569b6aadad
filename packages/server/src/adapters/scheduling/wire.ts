import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import type {
  OpenHours,
  ProviderVisit,
  SlotBookingRequest,
  VisitLocation,
  VisitSlot,
  VisitRequest,
} from './port.ts';

/*
 * The messages of the scheduling protocol in docs/reference/scheduling-protocol.md. Client and simulator validate them with these schemas
 * and reject messages that are too long, out of range or inconsistent.
 */

export const PLACES_MAX = 20;
const DAYS_MAX = 31;
const SLOTS_MAX = 5000;

const Id = z.string().min(1).max(200);
const Text = z.string().max(1000);
const Day = z.iso.date();
const Instant = Timestamp.transform((text) => new Date(text));
const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected a time like 08:30');

const LocationBody = z
  .object({
    code: Id,
    name: Text,
    address: z.object({
      first_line: Text,
      second_line: Text.nullable(),
      city: Text,
      state: z.string().max(50),
      zip_code: z.string().max(10),
      access_notes: Text.nullable(),
    }),
    point: z.object({ lat: z.number().min(-90).max(90), lng: z.number().min(-180).max(180) }),
    iana_timezone: z.string().min(1).max(60),
    hours: z
      .array(z.array(z.object({ opens: Time, closes: Time })).max(5))
      .length(7)
      .nullable(),
  })
  .transform((place): VisitLocation => ({
    code: place.code,
    name: place.name,
    address: {
      firstLine: place.address.first_line,
      secondLine: place.address.second_line,
      city: place.address.city,
      state: place.address.state,
      zip: place.address.zip_code,
      accessNotes: place.address.access_notes,
    },
    point: place.point,
    timeZone: place.iana_timezone,
    hours: place.hours,
  }));

export const toWireLocation = ({ code, name, address, point, timeZone, hours }: VisitLocation) => ({
  code,
  name,
  address: {
    first_line: address.firstLine,
    second_line: address.secondLine,
    city: address.city,
    state: address.state,
    zip_code: address.zip,
    access_notes: address.accessNotes,
  },
  point: { lat: point.lat, lng: point.lng },
  iana_timezone: timeZone,
  hours:
    hours && hours.map((day: readonly OpenHours[]) => day.map(({ opens, closes }) => ({ opens, closes }))),
});

const hasEndAfterStart = ({ startAt, endAt }: { startAt: Date; endAt: Date }) => startAt < endAt;

const SlotBody = z
  .object({
    slot_id: Id,
    start_at: Instant,
    end_at: Instant,
    places: z.int().min(0).max(1000),
    price: z.number().min(0).max(100_000),
    is_priority: z.boolean(),
  })
  .transform((slot): VisitSlot => ({
    slotId: slot.slot_id,
    startAt: slot.start_at,
    endAt: slot.end_at,
    places: slot.places,
    price: slot.price,
    isPriority: slot.is_priority,
  }))
  .refine(hasEndAfterStart, 'expected a slot that ends after it starts');

export const toWireSlot = ({ slotId, startAt, endAt, places, price, isPriority }: VisitSlot) => ({
  slot_id: slotId,
  start_at: isoTimestamp(startAt),
  end_at: isoTimestamp(endAt),
  places,
  price,
  is_priority: isPriority,
});

export const AvailabilityRequestBody = z
  .object({
    places: z.array(LocationBody).min(1).max(PLACES_MAX),
    from: Day,
    days: z.int().min(1).max(DAYS_MAX),
    asked_at: Instant,
  })
  .transform(({ asked_at: now, ...rest }) => ({ ...rest, now }));

export const AvailabilityResponseBody = z.object({
  places: z.array(z.object({ code: Id, slots: z.array(SlotBody).max(SLOTS_MAX) })).max(PLACES_MAX),
});

const VisitRequestBody = z.object({
  order_id: Id,
  place: LocationBody,
  patient: z.object({
    first_name: Text,
    last_name: Text,
    dob: Day,
    gender: z.string().max(50),
    phone: z.string().max(50).nullable(),
    email: z.string().max(320).nullable(),
  }),
  reserve_only: z.boolean(),
  notes: Text.nullable(),
  asked_at: Instant,
});

/** The body of PUT appointment and of reschedule; `slot` is null if the provider sets the time. */
export const AppointmentRequestBody = VisitRequestBody.extend({
  slot: z
    .object({ slot_id: Id, start_at: Instant, end_at: Instant })
    .transform((slot) => ({ slotId: slot.slot_id, startAt: slot.start_at, endAt: slot.end_at }))
    .nullable(),
}).transform(({ order_id: orderId, patient, reserve_only: reserveOnly, asked_at: now, ...rest }) => ({
  ...rest,
  orderId,
  patient: {
    firstName: patient.first_name,
    lastName: patient.last_name,
    dob: patient.dob,
    gender: patient.gender,
    phone: patient.phone,
    email: patient.email,
  },
  reserveOnly,
  now,
}));
export type AppointmentRequestBody = z.output<typeof AppointmentRequestBody>;

export const toWireVisitRequest = (wish: VisitRequest & { readonly slot?: SlotBookingRequest['slot'] }) => ({
  order_id: wish.orderId,
  place: toWireLocation(wish.place),
  patient: {
    first_name: wish.patient.firstName,
    last_name: wish.patient.lastName,
    dob: wish.patient.dob,
    gender: wish.patient.gender,
    phone: wish.patient.phone,
    email: wish.patient.email,
  },
  reserve_only: wish.reserveOnly,
  notes: wish.notes,
  asked_at: isoTimestamp(wish.now),
  slot: wish.slot
    ? {
        slot_id: wish.slot.slotId,
        start_at: isoTimestamp(wish.slot.startAt),
        end_at: isoTimestamp(wish.slot.endAt),
      }
    : null,
});

/** The note is the team's text, unchanged. */
export const CancelRequestBody = z.object({ reason: Text, note: z.string().max(5000).nullable() });

export const VisitStatusQuery = z.object({ asked_at: Instant });

const STATUSES = ['pending', 'reserved', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const;
const STATUSES_WITHOUT_TIME: readonly ProviderVisit['status'][] = ['pending', 'cancelled'];

/** The response to every request about one appointment. */
export const VisitResponseBody = z
  .object({
    appointment_id: Id,
    provider_id: Id,
    external_id: Id.nullable(),
    status: z.enum(STATUSES),
    start_at: Instant.nullable(),
    end_at: Instant.nullable(),
    said: Text.nullable(),
  })
  .transform((visit) => ({
    appointmentId: visit.appointment_id,
    providerId: visit.provider_id,
    externalId: visit.external_id,
    status: visit.status,
    startAt: visit.start_at,
    endAt: visit.end_at,
    said: visit.said,
  }))
  .refine(
    ({ startAt, endAt, status }) =>
      startAt && endAt ? startAt < endAt : !startAt && !endAt && STATUSES_WITHOUT_TIME.includes(status),
    'expected start_at and end_at, in order; both null only while pending, or when cancelled',
  );

export const toWireVisit = (appointmentId: string, visit: ProviderVisit) => ({
  appointment_id: appointmentId,
  provider_id: visit.providerId,
  external_id: visit.externalId,
  status: visit.status,
  start_at: visit.startAt && isoTimestamp(visit.startAt),
  end_at: visit.endAt && isoTimestamp(visit.endAt),
  said: visit.said,
});

/**
 * The body of every response that is not 2xx. `code` is for programs; `message` is for people, without personal data.
 */
export const ErrorResponseBody = z.object({ code: z.string().max(100), message: Text });
