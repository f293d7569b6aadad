import { readReports } from '../src/adapters/lab-network/hl7/read-report.ts';
import type { ReceivedReport } from '../src/adapters/lab-network/port.ts';
import { inTenant } from '../src/app.ts';
import { receiveReport, type ReportReceipt } from '../src/laboratories/incoming-results/incoming-results.ts';
import type { TestService, TestTeam } from './service.ts';
import { pdfText } from './pdf.ts';
import type { OrderWithTests } from './received-reports.ts';

let messages = 0;

/** The reports of a message about this order, sent at `hour` on 2026-03-02; `zone` is the default time zone. */
export function reportsOfMessage(
  { order }: OrderWithTests,
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

/** Processes reports as if they came over a laboratory connection. */
export async function receiveAll(
  service: TestService,
  team: TestTeam,
  reports: readonly ReceivedReport[],
): Promise<ReportReceipt[]> {
  const taken: ReportReceipt[] = [];
  for (const report of reports)
    taken.push(
      await inTenant(service.app, team.tenant, (work) => receiveReport(work, report, { messageId: 'm' })),
    );
  return taken;
}

/** Reads an order's results in all formats: JSON, text of the PDF, and FHIR. */
export async function readResultFormats(service: TestService, team: TestTeam, id: string) {
  const [json, fhir] = await Promise.all([
    team.get(`/v3/order/${id}/result`),
    team.get(`/v3/order/${id}/result/fhir`),
  ]);
  const pdf = await service.http.server.inject({
    method: 'GET',
    url: `/v3/order/${id}/result/pdf`,
    headers: { 'x-service-api-key': team.key },
  });
  return { json: json.json, fhir: fhir.json, pdf: pdfText(pdf.rawPayload) };
}
