import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import type { OpenHours, ProviderVisit, SlotWish, VisitPlace, VisitSlot, VisitWish } from './port.ts';

/*
 * The messages of the scheduling protocol, as docs/scheduling.md has them. Both ends read them by these schemas:
 * what is too long, out of range or contradicts itself is not read at all.
 */

export const PLACES_MAX = 20;
export const DAYS_MAX = 31;
const SLOTS_MAX = 5000;

const Id = z.string().min(1).max(200);
const Text = z.string().max(1000);
const Day = z.iso.date();
const Moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'expected a time like 08:30');

const Place = z
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
  .transform((place): VisitPlace => ({
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

export const placeOut = ({ code, name, address, point, timeZone, hours }: VisitPlace) => ({
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

const isInOrder = ({ startAt, endAt }: { startAt: Date; endAt: Date }) => startAt < endAt;

const Slot = z
  .object({
    slot_id: Id,
    start_at: Moment,
    end_at: Moment,
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
  .refine(isInOrder, 'expected a slot that ends after it starts');

export const slotOut = ({ slotId, startAt, endAt, places, price, isPriority }: VisitSlot) => ({
  slot_id: slotId,
  start_at: isoMoment(startAt),
  end_at: isoMoment(endAt),
  places,
  price,
  is_priority: isPriority,
});

export const AvailabilityQuestion = z
  .object({
    places: z.array(Place).min(1).max(PLACES_MAX),
    from: Day,
    days: z.int().min(1).max(DAYS_MAX),
    asked_at: Moment,
  })
  .transform(({ asked_at: now, ...rest }) => ({ ...rest, now }));

export const AvailabilityAnswer = z.object({
  places: z.array(z.object({ code: Id, slots: z.array(Slot).max(SLOTS_MAX) })).max(PLACES_MAX),
});

const VisitQuestion = z.object({
  order_id: Id,
  place: Place,
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
  asked_at: Moment,
});

/** What PUT of an appointment, and its move, bring; `slot` is null where the provider is to set the time. */
export const AppointmentQuestion = VisitQuestion.extend({
  slot: z
    .object({ slot_id: Id, start_at: Moment, end_at: Moment })
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
export type AppointmentQuestion = z.output<typeof AppointmentQuestion>;

export const wishOut = (wish: VisitWish & { readonly slot?: SlotWish['slot'] }) => ({
  order_id: wish.orderId,
  place: placeOut(wish.place),
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
  asked_at: isoMoment(wish.now),
  slot: wish.slot
    ? {
        slot_id: wish.slot.slotId,
        start_at: isoMoment(wish.slot.startAt),
        end_at: isoMoment(wish.slot.endAt),
      }
    : null,
});

/** The note is the team's own, word for word. */
export const CancelQuestion = z.object({ reason: Text, note: z.string().max(5000).nullable() });

export const LookQuestion = z.object({ asked_at: Moment });

const STATUSES = ['pending', 'reserved', 'confirmed', 'in_progress', 'completed', 'cancelled'] as const;
const TIMELESS: readonly ProviderVisit['status'][] = ['pending', 'cancelled'];

/** An appointment, as every question about one is answered. */
export const VisitAnswer = z
  .object({
    appointment_id: Id,
    provider_id: Id,
    external_id: Id.nullable(),
    status: z.enum(STATUSES),
    start_at: Moment.nullable(),
    end_at: Moment.nullable(),
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
      startAt && endAt ? startAt < endAt : !startAt && !endAt && TIMELESS.includes(status),
    'expected start_at and end_at, in order; both null only while pending, or when cancelled',
  );

export const visitOut = (appointmentId: string, visit: ProviderVisit) => ({
  appointment_id: appointmentId,
  provider_id: visit.providerId,
  external_id: visit.externalId,
  status: visit.status,
  start_at: visit.startAt && isoMoment(visit.startAt),
  end_at: visit.endAt && isoMoment(visit.endAt),
  said: visit.said,
});

/** What every answer beyond 299 carries. `code` is for programs, `message` for people, and names no person. */
export const ErrorAnswer = z.object({ code: z.string().max(100), message: Text });
