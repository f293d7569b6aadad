import { z } from 'zod';
import type { App } from '../app.ts';
import { issuerOf, readTeamSettings } from '../identity/management/management.ts';
import { isoTimestamp } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import type { AccessLogger } from '../platform/http/access-logger.ts';
import type { Http } from '../platform/http/http.ts';
import { publicUrl } from '../platform/public-url.ts';
import { Timestamp } from '../platform/timestamp.ts';
import type { Work } from '../platform/work.ts';
import { getOrder } from '../ordering/orders/orders.ts';
import { findReport } from '../results/results/results.ts';
import { readOrderVisit } from '../scheduling/appointments/appointments.ts';
import { downloadCalendar, showBooking } from './booking.ts';
import { createOrderToken, type OrderPageKind } from './order-token.ts';
import { patientPage } from './page.ts';
import { downloadReport, showResults } from './results.ts';

const OrderPath = z.object({ order_id: z.guid() });

const PatientPageUrl = z
  .object({
    url: z.string().describe('The page for the patient. It names neither the patient nor the order.'),
    expires_at: Timestamp.describe('In system time. The URL works until then, unless its token is revoked.'),
    token_id: z.uuid().describe('Identifies the token where it is listed or revoked.'),
  })
  .meta({ id: 'PatientPageUrl' });

/** The pages that patients open by a signed URL, and the operations that create these URLs. */
export function patientPageRoutes(http: Http, app: App, accessLogger: AccessLogger): void {
  bookingUrlRoute(http, app);
  resultUrlRoute(http, app);
  const page = { app, accessLogger };
  http.visit('/booking', {
    methods: ['GET', 'POST'],
    handler: patientPage({ ...page, kind: 'booking', operation: 'visitBookingPage', show: showBooking }),
  });
  http.visit('/booking/calendar', {
    methods: ['GET'],
    handler: patientPage({ ...page, kind: 'booking', operation: 'downloadCalendar', show: downloadCalendar }),
  });
  http.visit('/results', {
    methods: ['GET'],
    handler: patientPage({ ...page, kind: 'results', operation: 'visitResultsPage', show: showResults }),
  });
  http.visit('/results/report', {
    methods: ['GET'],
    handler: patientPage({ ...page, kind: 'results', operation: 'visitReport', show: downloadReport }),
  });
}

function bookingUrlRoute(http: Http, app: App): void {
  http.post('/v1/order/:order_id/booking_url', {
    schema: {
      operationId: 'createBookingUrl',
      summary: 'Create a URL to book an appointment',
      description:
        'Extension. The patient books, reschedules and cancels the appointment of this order on the hosted page, for ' +
        '14 days. 400 for an order without appointments, 409 for one that no longer needs one.',
      tag: 'Appointments',
      params: OrderPath,
      response: { 200: PatientPageUrl },
    },
    handler: async ({ work, params, principal }) => {
      const visit = await readOrderVisit(work, params.order_id);
      if (!visit)
        throw new DomainError(
          'bad_request',
          'The order has no appointment: its collection method needs none',
        );
      const { order, booking, appointment } = visit;
      if (booking === 'closed' && !appointment)
        throw new DomainError('conflict', `The order (${order.step}) no longer needs an appointment`);
      const issuer = issuerOf(principal);
      return toPageUrl(app, 'booking', await createOrderToken(work, app, { kind: 'booking', order, issuer }));
    },
  });
}

function resultUrlRoute(http: Http, app: App): void {
  http.post('/v1/order/:order_id/result_url', {
    schema: {
      operationId: 'createResultUrl',
      summary: 'Create a URL to see results',
      description:
        'Extension. The patient sees the newest results of this order on the hosted page, for 7 days. Nothing is shown ' +
        'while a critical value waits for its read-back. 403 unless the team has enabled `patient_results_enabled`, 409 ' +
        'without results.',
      tag: 'Results',
      params: OrderPath,
      response: { 200: PatientPageUrl },
    },
    handler: async ({ work, params, principal }) => {
      const order = await getOrder(work, params.order_id);
      await requireShownResults(work, order.id);
      const issuer = issuerOf(principal);
      return toPageUrl(app, 'results', await createOrderToken(work, app, { kind: 'results', order, issuer }));
    },
  });
}

async function requireShownResults(work: Work, orderId: string): Promise<void> {
  const { patient_results_enabled: isEnabled } = await readTeamSettings(work);
  if (!isEnabled) {
    throw new DomainError(
      'forbidden',
      'The team does not show results to patients; enable patient_results_enabled in the settings of the team',
    );
  }
  if (!(await findReport(work, orderId))) throw new DomainError('conflict', 'The order has no results yet');
}

interface NewOrderToken {
  readonly id: string;
  readonly word: string;
  readonly expiresAt: Date;
}

const toPageUrl = ({ config }: App, kind: OrderPageKind, { id, word, expiresAt }: NewOrderToken) => ({
  url: publicUrl(config, `/${kind}?token=${word}`),
  expires_at: isoTimestamp(expiresAt),
  token_id: id,
});
