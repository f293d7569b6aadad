import { z } from 'zod';
import type { App } from '../../app.ts';
import { calendar, type FileAnswer } from '../../platform/http/file-answer.ts';
import type { Http } from '../../platform/http/http.ts';
import type { TeamInput } from '../../platform/http/route.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder } from '../orders/orders.ts';
import { findVisit, finishBooking, prepareBooking } from './book.ts';
import { calendarOf } from './calendar.ts';
import { reasonsOf } from './reasons.ts';
import { finishMove, prepareMove } from './reschedule.ts';
import { requireModality } from './rules.ts';
import { AppointmentView, BookBody, CancellationReasons, RescheduleBody } from './schema.ts';
import type { AppointmentType } from './status.ts';
import { viewAppointment, type Visit } from './view.ts';

export const OrderPath = z.object({ order_id: z.guid() });
export const tag = 'Appointments';

/** An answer to a booking is kept for so long: 14 days. */
export const KEEP_BOOKING_HOURS = 14 * 24;

/** What the two kinds of visit are called in the routes. */
export interface Kind {
  readonly type: AppointmentType;
  /** `phlebotomy` or `psc`. */
  readonly path: string;
  /** As in `bookPhlebotomyAppointment`. */
  readonly name: string;
  readonly where: string;
}

type BookInput = TeamInput<typeof OrderPath, undefined, typeof BookBody>;

/** What both kinds of visit have in the same form: booking a slot, moving it, reading it, the reasons. */
export function visitRoutes(http: Http, app: App, kind: Kind): void {
  const { type, path, name, where } = kind;
  const base = `/v3/order/:order_id/${path}/appointment`;
  http.post(`${base}/book`, {
    keepAnswerHours: KEEP_BOOKING_HOURS,
    schema: {
      operationId: `book${name}Appointment`,
      summary: `Book a slot ${where}`,
      description: BOOKING,
      tag,
      params: OrderPath,
      body: BookBody,
      response: { 200: AppointmentView },
    },
    prepare: (input) => prepareBooking(app, input.tenant, bookCommand(type, input)),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishBooking(work, prepared)),
  });
  http.patch(`${base}/reschedule`, {
    schema: {
      operationId: `reschedule${name}Appointment`,
      summary: `Move an appointment ${where} to another slot`,
      description:
        'The old time stands until the provider has agreed to the new one. 400 for an appointment that cannot be ' +
        'rescheduled any more (`can_reschedule`): it has to be reserved or confirmed, and to begin in more than two hours.',
      tag,
      params: OrderPath,
      body: RescheduleBody,
      response: { 200: AppointmentView },
    },
    prepare: ({ tenant, params, body, repeatKey }) =>
      prepareMove(app, tenant, {
        orderId: params.order_id,
        type,
        bookingKey: body.booking_key,
        notes: body.appointment_notes ?? null,
        repeatKey,
      }),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishMove(work, prepared)),
  });
  readingRoutes(http, kind);
}

export const CANCELLING =
  'The provider is told in the background. 400 for an appointment that is going on or has come to its end. One whose ' +
  'time is over can be cancelled where the provider does not say what became of it, as when the patient was not there; ' +
  'then another can be booked.';

const BOOKING =
  'The booking key comes from the availability. Without `async_confirmation` the request waits for the provider: 503 ' +
  'when it does not answer in time, and nothing is booked. With it, `pending` is answered then, and the booking is ' +
  'tried in the background until it is confirmed or, at the end of the asynchronous timeout, cancelled; either is ' +
  'told by an event. Before the order has its requisition a team that has it on may book, too: the appointment is ' +
  'reserved, and cancelled when no requisition comes within 8 hours (unless the order is scheduled) or until 2 hours ' +
  'before it begins. 400 for a booking key that is expired, used, or of another order, and for a slot that is full.';

const bookCommand = (type: AppointmentType, { params, body, repeatKey }: BookInput) => ({
  orderId: params.order_id,
  type,
  bookingKey: body.booking_key,
  notes: body.appointment_notes ?? null,
  isAsync: body.async_confirmation,
  syncMs: body.sync_confirmation_timeout_millisecond ?? null,
  asyncMs: body.async_confirmation_timeout_millisecond ?? null,
  repeatKey,
});

function readingRoutes(http: Http, { type, path, name, where }: Kind): void {
  http.get(`/v3/order/${path}/appointment/cancellation-reasons`, {
    schema: {
      operationId: `list${name}CancellationReasons`,
      summary: `List why an appointment ${where} may be cancelled`,
      tag,
      response: { 200: CancellationReasons },
    },
    handler: async () => [...reasonsOf(type)],
  });
  http.get(`/v3/order/:order_id/${path}/appointment`, {
    schema: {
      operationId: `get${name}Appointment`,
      summary: `Read the appointment of an order ${where}`,
      description:
        'The one to come, or else the last one. With `Accept: text/calendar` it is answered as a calendar file; 409 ' +
        'while the provider has set no time.',
      tag,
      params: OrderPath,
      response: { 200: AppointmentView },
      file: calendar(),
    },
    handler: async ({ work, params }) => viewAppointment(work, await visitOf(work, params.order_id, type)),
    file: async ({ work, params }): Promise<FileAnswer> =>
      calendarOf(await visitOf(work, params.order_id, type)),
  });
}

async function visitOf(work: Work, orderId: string, type: AppointmentType): Promise<Visit> {
  return findVisit(work, requireModality(await getOrder(work, orderId), type), type);
}
