import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { homeAvailability } from './availability.ts';
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
import { CANCELLING, KEEP_BOOKING_HOURS, OrderPath, tag, visitRoutes, type Kind } from './visit-routes.ts';

const KIND: Kind = { type: 'phlebotomy', path: 'phlebotomy', name: 'Phlebotomy', where: 'at home' };

/** A phlebotomist comes home. */
export function homeRoutes(http: Http, app: App): void {
  http.post('/v3/order/phlebotomy/appointment/availability', {
    schema: {
      operationId: 'getPhlebotomyAvailability',
      summary: 'Find out when a phlebotomist can come to an address',
      description:
        'The ZIP code decides; 404 for one that is nowhere. Always 14 days, those without a slot too, in the time ' +
        'zone of the address. Providers that set their times by themselves have no slots: request them.',
      tag,
      query: HomeQuery,
      body: AvailabilityAddress,
      response: { 200: AvailabilityView },
    },
    prepare: ({ tenant, query, body }) =>
      homeAvailability(app, tenant, { address: body, startDate: query.start_date ?? null }),
    handler: async ({ prepared }) => prepared,
  });
  visitRoutes(http, app, KIND);
  requestRoute(http, app);
  cancelRoute(http);
}

/** Of providers that set their times by themselves. */
function requestRoute(http: Http, app: App): void {
  http.post('/v3/order/:order_id/phlebotomy/appointment/request', {
    keepAnswerHours: KEEP_BOOKING_HOURS,
    schema: {
      operationId: 'requestPhlebotomyAppointment',
      summary: 'Ask a phlebotomist who sets the time to come home',
      description:
        'The appointment is pending, without times, until the provider has set them. 400 for a provider whose slots ' +
        'are to be booked, or that does not come there.',
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
        repeatKey,
      }),
    handler: async ({ work, prepared }) => viewAppointment(work, await finishBooking(work, prepared)),
  });
}

function cancelRoute(http: Http): void {
  http.patch('/v3/order/:order_id/phlebotomy/appointment/cancel', {
    schema: {
      operationId: 'cancelPhlebotomyAppointment',
      summary: 'Cancel an appointment at home',
      description: CANCELLING,
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
