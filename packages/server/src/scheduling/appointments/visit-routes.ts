import { z } from 'zod';
import type { App } from '../../app.ts';
import { calendar, type FileResponse } from '../../platform/http/file-response.ts';
import type { Http } from '../../platform/http/http.ts';
import type { TeamInput } from '../../platform/http/route.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder } from '../../ordering/orders/orders.ts';
import { findVisit, finishBooking, prepareBooking } from './book.ts';
import { toCalendarFile } from './calendar.ts';
import { listReasons } from './reasons.ts';
import { finishReschedule, prepareReschedule } from './reschedule.ts';
import { requireModality } from './rules.ts';
import { AppointmentView, BookBody, CancellationReasons, RescheduleBody } from './schema.ts';
import type { AppointmentType } from './status.ts';
import { viewAppointment, type AppointmentWithOrder } from './view.ts';

export const OrderPath = z.object({ order_id: z.guid() });
export const tag = 'Appointments';

/** How long the response to a booking is stored for its idempotency key: 14 days. */
export const BOOKING_RESPONSE_RETENTION_HOURS = 14 * 24;

/** Names of the two kinds of visits in routes and operations. */
export interface VisitKind {
  readonly type: AppointmentType;
  /** `phlebotomy` or `psc`. */
  readonly path: string;
  /** As in `bookPhlebotomyAppointment`. */
  readonly name: string;
  readonly where: string;
}

type BookInput = TeamInput<typeof OrderPath, undefined, typeof BookBody>;

/** The routes that both kinds of visits share: book, reschedule, get, list cancellation reasons. */
export function visitRoutes(http: Http, app: App, kind: VisitKind): void {
  const { type, path, name, where } = kind;
  const base = `/v3/order/:order_id/${path}/appointment`;
  http.post(`${base}/book`, {
    idempotencyTtlHours: BOOKING_RESPONSE_RETENTION_HOURS,
    schema: {
      operationId: `book${name}Appointment`,
      summary: `Book an appointment ${where}`,
      description: BOOK_DESCRIPTION,
      tag,
      params: OrderPath,
      body: BookBody,
      response: { 200: AppointmentView },
    },
    prepare: (input) => prepareBooking(app, input.tenant, toBookCommand(type, input)),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishBooking(work, prepared)),
  });
  http.patch(`${base}/reschedule`, {
    schema: {
      operationId: `reschedule${name}Appointment`,
      summary: `Reschedule an appointment ${where}`,
      description:
        'The old time stands until the provider has agreed to the new one. 400 if `can_reschedule` is false: the ' +
        'appointment must be reserved or confirmed, and begin in more than two hours.',
      tag,
      params: OrderPath,
      body: RescheduleBody,
      response: { 200: AppointmentView },
    },
    prepare: ({ tenant, params, body, repeatKey }) =>
      prepareReschedule(app, tenant, {
        orderId: params.order_id,
        type,
        bookingKey: body.booking_key,
        notes: body.appointment_notes ?? null,
        idempotencyKey: repeatKey,
      }),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishReschedule(work, prepared)),
  });
  readRoutes(http, kind);
}

export const CANCEL_DESCRIPTION =
  'The provider is notified in the background. 400 for an appointment that is in progress or has ended. If its time ' +
  'is over and the provider has not reported an outcome, for example after a no-show, it can be cancelled, and ' +
  'another one booked.';

const BOOK_DESCRIPTION =
  'The booking key comes from the availability. Without `async_confirmation`, the request waits for the provider: ' +
  '503 if it does not answer in time, and nothing is booked. With it, the response is `pending` in that case, and ' +
  'the booking is retried in the background until it is confirmed or, after the asynchronous timeout, cancelled, ' +
  'each with an event. Teams with booking before the requisition enabled can book before the order has its ' +
  'requisition: the appointment is reserved, and cancelled if no requisition arrives within 8 hours (unless the order ' +
  'is scheduled) or by 2 hours before it begins. 400 for a booking key that is expired, used, or for another order, ' +
  'and for a full slot.';

const toBookCommand = (type: AppointmentType, { params, body, repeatKey }: BookInput) => ({
  orderId: params.order_id,
  type,
  bookingKey: body.booking_key,
  notes: body.appointment_notes ?? null,
  isAsync: body.async_confirmation,
  syncMs: body.sync_confirmation_timeout_millisecond ?? null,
  asyncMs: body.async_confirmation_timeout_millisecond ?? null,
  idempotencyKey: repeatKey,
});

function readRoutes(http: Http, { type, path, name, where }: VisitKind): void {
  http.get(`/v3/order/${path}/appointment/cancellation-reasons`, {
    schema: {
      operationId: `list${name}CancellationReasons`,
      summary: `List cancellation reasons ${where}`,
      tag,
      response: { 200: CancellationReasons },
    },
    handler: async () => [...listReasons(type)],
  });
  http.get(`/v3/order/:order_id/${path}/appointment`, {
    schema: {
      operationId: `get${name}Appointment`,
      summary: `Get an appointment ${where}`,
      description:
        'The active appointment of the order, else the last one. With `Accept: text/calendar`, returns a calendar ' +
        'file; 409 until the provider has set a time.',
      tag,
      params: OrderPath,
      response: { 200: AppointmentView },
      file: calendar(),
    },
    handler: async ({ work, params }) =>
      viewAppointment(work, await findVisitOfOrder(work, params.order_id, type)),
    file: async ({ work, params }): Promise<FileResponse> =>
      toCalendarFile(await findVisitOfOrder(work, params.order_id, type)),
  });
}

async function findVisitOfOrder(
  work: Work,
  orderId: string,
  type: AppointmentType,
): Promise<AppointmentWithOrder> {
  return findVisit(work, requireModality(await getOrder(work, orderId), type), type);
}
