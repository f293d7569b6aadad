import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { getCenterAvailability } from './availability.ts';
import { cancelVisit } from './cancel.ts';
import { AppointmentView, AvailabilityView, CancelCenterBody, CenterQuery } from './schema.ts';
import { viewAppointment } from './view.ts';
import { CANCEL_DESCRIPTION, OrderPath, tag, visitRoutes, type VisitKind } from './visit-routes.ts';

const KIND: VisitKind = {
  type: 'patient_service_center',
  path: 'psc',
  name: 'Psc',
  where: 'at a patient service center',
};

/** Appointments at patient service centers. */
export function centerRoutes(http: Http, app: App): void {
  http.post('/v3/order/psc/appointment/availability', {
    schema: {
      operationId: 'getPscAvailability',
      summary: 'Get availability at patient service centers',
      description:
        'Select centers by `zip_code` and `radius`, by up to three `site_codes`, or (ours) by `order_id`, near ' +
        'its patient. Returns at most the 25 nearest centers, each with 14 days in its own time zone, including days ' +
        'without slots. 404 for an unknown site or ZIP code.',
      tag,
      query: CenterQuery,
      response: { 200: AvailabilityView },
    },
    prepare: ({ tenant, query }) => getCenterAvailability(app, tenant, query),
    handler: async ({ prepared }) => prepared,
  });
  visitRoutes(http, app, KIND);
  http.patch('/v3/order/:order_id/psc/appointment/cancel', {
    schema: {
      operationId: 'cancelPscAppointment',
      summary: 'Cancel an appointment at a patient service center',
      description: CANCEL_DESCRIPTION,
      tag,
      params: OrderPath,
      body: CancelCenterBody,
      response: { 200: AppointmentView },
    },
    handler: async ({ work, params, body }) => {
      const visit = await cancelVisit(work, {
        orderId: params.order_id,
        type: 'patient_service_center',
        reasonId: body.cancellationReasonId,
        note: body.note ?? body.notes ?? null,
      });
      return viewAppointment(work, visit);
    },
  });
}
