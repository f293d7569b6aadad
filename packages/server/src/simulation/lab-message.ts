import { readTenant, type App } from '../app.ts';
import type { LabReport, ReportEnvelope, Requisition } from '../adapters/lab-network/port.ts';
import type { SimulatedSender } from '../laboratories/lab-connections/lab-connections.ts';
import { DomainError } from '../platform/errors.ts';
import { newRandomId } from '../platform/ids.ts';
import type { Tenant } from '../platform/tenant.ts';
import { getOrder, type Order } from '../ordering/orders/orders.ts';
import { buildRequisition, fetchReport, findReport } from '../results/results/results.ts';
import type { SimulatedResults } from './schema.ts';
import { resolveSpecimenTimes } from './specimen-times.ts';

interface ReportOfOrder {
  readonly orderId: string;
  readonly sender: SimulatedSender;
  readonly wish: SimulatedResults;
}

/** The message in which the laboratory of a connection reports simulated results of an order. */
export async function writeReportOfOrder(
  app: App,
  tenant: Tenant,
  { orderId, sender, wish }: ReportOfOrder,
): Promise<Buffer> {
  const { order, requisition, times, now } = await readTenant(app, tenant, async (work) => {
    const found = await getOrder(work, orderId);
    requireSameLab(found, sender);
    const known = await findReport(work, found.id);
    const times = resolveSpecimenTimes(found, { known, now: work.now });
    return { order: found, requisition: await buildRequisition(work, found), times, now: work.now };
  });
  const placer = order.sample_id ?? order.id;
  const report = await fetchReport(app, tenant, {
    requisition,
    sampleId: placer,
    ...times,
    at: now,
    wish: {
      interpretation: wish.interpretation,
      hasMissingResults: wish.has_missing_results,
      resultTypes: null,
      status: 'final',
    },
  });
  if (!report) throw new DomainError('conflict', 'The simulated laboratory has no results for this order');
  return app.writeLabReport(report, toEnvelope({ requisition, report, sender, placer }));
}

function requireSameLab({ id, lab_slug: lab }: Order, sender: SimulatedSender): void {
  if (lab === sender.lab) return;
  throw new DomainError(
    'bad_request',
    `Order ${id} is for ${lab}, but the connection is that of ${sender.lab}`,
  );
}

interface EnvelopeSource {
  readonly requisition: Requisition;
  readonly report: LabReport;
  readonly sender: SimulatedSender;
  readonly placer: string;
}

const CONTROL_ID_LENGTH = 20;

const toEnvelope = ({ requisition, report, sender, placer }: EnvelopeSource): ReportEnvelope => {
  const { patient, tests } = requisition;
  return {
    ...sender.parties,
    controlId: newRandomId().replaceAll('-', '').slice(0, CONTROL_ID_LENGTH).toUpperCase(),
    placer,
    filler: `F${placer.slice(0, CONTROL_ID_LENGTH)}`,
    processing: 'P',
    patient: {
      id: patient.id ?? '',
      firstName: patient.firstName,
      lastName: patient.lastName,
      dob: patient.dob.replaceAll('-', ''),
      gender: patient.gender,
    },
    codes: new Map(
      tests.map(({ markerId, providerId, slug, name }) => [markerId, { code: providerId ?? slug, name }]),
    ),
    collectedAt: report.collectedAt == null ? report.reportedAt : new Date(report.collectedAt),
    at: report.reportedAt,
  };
};
