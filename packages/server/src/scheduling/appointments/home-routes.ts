import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { getHomeAvailability } from './availability.ts';
import { finishBooking } from './book.ts';
import { cancelVisit } from './cancel.ts';
import { prepareRequest } from './request.ts';
import {
  AppointmentView,
  AvailabilityAddress,
  AvailabilityView,
  CancelHomeBody,
  HomeQuery,
  RequestBody,
  secondLineOf,
} from './schema.ts';
import { viewAppointment } from './view.ts';
import {
  CANCEL_DESCRIPTION,
  BOOKING_RESPONSE_RETENTION_HOURS,
  OrderPath,
  tag,
  visitRoutes,
  type VisitKind,
} from './visit-routes.ts';

const KIND: VisitKind = { type: 'phlebotomy', path: 'phlebotomy', name: 'Phlebotomy', where: 'at home' };

/** At-home appointments with a phlebotomist. */
export function homeRoutes(http: Http, app: App): void {
  http.post('/v3/order/phlebotomy/appointment/availability', {
    schema: {
      operationId: 'getPhlebotomyAvailability',
      summary: 'Get phlebotomist availability at an address',
      description:
        'Availability depends on the ZIP code; 404 for an unknown one. Returns 14 days in the time zone of the ' +
        'address, including days without slots. Providers that set the time themselves have no slots: use a request.',
      tag,
      query: HomeQuery,
      body: AvailabilityAddress,
      response: { 200: AvailabilityView },
    },
    prepare: ({ tenant, query, body }) =>
      getHomeAvailability(app, tenant, { address: body, startDate: query.start_date ?? null }),
    handler: async ({ prepared }) => prepared,
  });
  visitRoutes(http, app, KIND);
  requestRoute(http, app);
  cancelRoute(http);
}

/** For providers that set the time themselves. */
function requestRoute(http: Http, app: App): void {
  http.post('/v3/order/:order_id/phlebotomy/appointment/request', {
    idempotencyTtlHours: BOOKING_RESPONSE_RETENTION_HOURS,
    schema: {
      operationId: 'requestPhlebotomyAppointment',
      summary: 'Request an appointment at home',
      description:
        'For providers that set the time themselves. The appointment is pending, without times, until the provider ' +
        'sets them. 400 for a provider with bookable slots, or one that does not serve the address.',
      tag,
      params: OrderPath,
      body: RequestBody,
      response: { 200: AppointmentView },
    },
    prepare: ({ tenant, params, body, repeatKey }) =>
      prepareRequest(app, tenant, {
        orderId: params.order_id,
        provider: body.provider,
        address: { ...body.address, second_line: secondLineOf(body.address) },
        notes: body.appointment_notes ?? null,
        idempotencyKey: repeatKey,
      }),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishBooking(work, prepared)),
  });
}

function cancelRoute(http: Http): void {
  http.patch('/v3/order/:order_id/phlebotomy/appointment/cancel', {
    schema: {
      operationId: 'cancelPhlebotomyAppointment',
      summary: 'Cancel an appointment at home',
      description: CANCEL_DESCRIPTION,
      tag,
      params: OrderPath,
      body: CancelHomeBody,
      response: { 200: AppointmentView },
    },
    handler: async ({ work, params, body }) => {
      const visit = await cancelVisit(work, {
        orderId: params.order_id,
        type: 'phlebotomy',
        reasonId: body.cancellation_reason_id,
        note: body.notes ?? body.note ?? null,
      });
      return viewAppointment(work, visit);
    },
  });
}
