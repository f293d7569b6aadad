import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { centerAvailability } from './availability.ts';
import { cancelVisit } from './cancel.ts';
import { AppointmentView, AvailabilityView, CancelCenterBody, CenterQuery } from './schema.ts';
import { viewAppointment } from './view.ts';
import { CANCELLING, OrderPath, tag, visitRoutes, type Kind } from './visit-routes.ts';

const KIND: Kind = {
  type: 'patient_service_center',
  path: 'psc',
  name: 'Psc',
  where: 'at a patient service center',
};

/** The patient goes to a center of the laboratory. */
export function centerRoutes(http: Http, app: App): void {
  http.post('/v3/order/psc/appointment/availability', {
    schema: {
      operationId: 'getPscAvailability',
      summary: 'Find out when the centers of a laboratory can see a patient',
      description:
        'By `zip_code` and `radius`, by up to three `site_codes`, or (ours) by `order_id`: near its patient. Always ' +
        '14 days of each center, those without a slot too, by day of its own time zone; at most the 25 nearest ' +
        'centers. 404 for an unknown site or ZIP code.',
      tag,
      query: CenterQuery,
      response: { 200: AvailabilityView },
    },
    prepare: ({ tenant, query }) => centerAvailability(app, tenant, query),
    handler: async ({ prepared }) => prepared,
  });
  visitRoutes(http, app, KIND);
  http.patch('/v3/order/:order_id/psc/appointment/cancel', {
    schema: {
      operationId: 'cancelPscAppointment',
      summary: 'Cancel an appointment at a patient service center',
      description: CANCELLING,
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
