import type { Http } from '../../platform/http/http.ts';
import { AppointmentList, AppointmentListQuery, toListItem } from './calendar-schema.ts';
import { listAppointments } from './list-appointments.ts';
import { tag } from './visit-routes.ts';

/** The calendar of a team. Extension. */
export function listRoutes(http: Http): void {
  http.get('/v1/appointments', {
    schema: {
      operationId: 'listAppointments',
      summary: 'List appointments by time',
      description:
        'Extension. All appointments of the team by their start, those without a time last; cancelled and completed ' +
        'ones too, unless `status` leaves them out. Appointments of deleted users are not listed.',
      tag,
      query: AppointmentListQuery,
      response: { 200: AppointmentList },
    },
    handler: async ({ work, query }) => {
      const { items, next_cursor } = await listAppointments(work, query);
      return { data: items.map((appointment) => toListItem(work, appointment)), next_cursor };
    },
  });
}
