import { readReports } from '../src/adapters/lab-network/hl7/read-report.ts';
import type { ReceivedReport } from '../src/adapters/lab-network/port.ts';
import { inTenant } from '../src/app.ts';
import { takeReport, type Taken } from '../src/lab-testing/incoming-results/incoming-results.ts';
import type { House, TeamInHand } from './house.ts';
import { textOf } from './pdf.ts';
import type { Ordered } from './received.ts';

let messages = 0;

/** The reports of a message about this order, of an hour of March 2nd 2026 in UTC unless its segments say otherwise. */
export function messageOf(
  { order }: Ordered,
  segments: readonly string[],
  { hour = 12, zone = 'UTC' }: { hour?: number; zone?: string } = {},
): ReceivedReport[] {
  const person = order.private.patient;
  const text = [
    `MSH|^~\\&|LIS|LAB|US|HERE|20260302${String(hour).padStart(2, '0')}0000||ORU^R01|H${(messages += 1)}|P|2.5.1`,
    `PID|1||77||${person?.last_name}^${person?.first_name}||${person?.dob.replaceAll('-', '')}|F`,
    ...segments.map((one) => one.replaceAll('PLACER', order.sample_id ?? order.id)),
  ].join('\r');
  const arrivedAt = new Date('2026-03-03T12:00:00Z');
  return readReports(Buffer.from(text), {
    lab: order.lab_slug,
    accountNumber: null,
    timeZone: zone,
    arrivedAt,
  });
}

/** Takes what a laboratory sends as it would come by its connection. */
export async function takeAll(
  house: House,
  team: TeamInHand,
  reports: readonly ReceivedReport[],
): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const report of reports)
    taken.push(
      await inTenant(house.app, team.tenant, (work) => takeReport(work, report, { messageId: 'm' })),
    );
  return taken;
}

/** What a team reads of an order's results: as JSON, as the text of the PDF, and as FHIR. */
export async function readAll(house: House, team: TeamInHand, id: string) {
  const [json, fhir] = await Promise.all([
    team.get(`/v3/order/${id}/result`),
    team.get(`/v3/order/${id}/result/fhir`),
  ]);
  const pdf = await house.http.server.inject({
    method: 'GET',
    url: `/v3/order/${id}/result/pdf`,
    headers: { 'x-service-api-key': team.key },
  });
  return { json: json.json, fhir: fhir.json, pdf: textOf(pdf.rawPayload) };
}
