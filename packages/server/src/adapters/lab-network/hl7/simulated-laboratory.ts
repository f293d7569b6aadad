import type {
  LabReport,
  PlacedRequisition,
  ReportEnvelope,
  RequestedTest,
  SimulatedReportRequest,
} from '../port.ts';
import { createSimulatedLabNetwork } from '../simulated.ts';
import type { ReceivedAcknowledgement, MllpTarget } from '../protocol.ts';
import { writeAcknowledgement } from './acknowledge.ts';
import { sendMessage } from './client.ts';
import { readHead } from './head.ts';
import { listen } from './server.ts';
import { parseMessage, createFieldReader, type FieldReader, type Hl7Message } from './syntax.ts';
import { writeReport } from './write-report.ts';

/** An order in the simulated laboratory. */
interface LaboratoryOrder {
  readonly placer: string;
  readonly tests: readonly RequestedTest[];
  readonly cancelled: boolean;
}

interface SimulatedLaboratoryOptions {
  readonly host?: string;
  readonly port?: number;
  readonly now: () => Date;
  /** The test with this code; undefined if the laboratory does not offer it. */
  readonly findTest: (code: string) => RequestedTest | undefined;
  /** Called after every order that was placed or cancelled. */
  readonly onOrder?: (order: LaboratoryOrder) => void;
}

export interface SimulatedLaboratory {
  readonly port: number;
  /** The received messages. */
  readonly receivedMessages: readonly Buffer[];
  readonly orders: ReadonlyMap<string, LaboratoryOrder>;
  /** Accepts an order as if it had arrived on a connection. Throws UnreadableMessageError. */
  placeOrder(bytes: Buffer): void;
  /** Sets the acknowledgement code of later messages; null sends none. */
  setAcknowledgement(code: 'AA' | 'AE' | 'AR' | null): void;
  /** Generates the results of a placer number and sends them to the target. */
  sendReport(
    placer: string,
    to: MllpTarget,
    wish?: Partial<SimulatedReportRequest>,
  ): Promise<ReceivedAcknowledgement>;
  close(): Promise<void>;
}

interface StoredLaboratoryOrder extends LaboratoryOrder {
  readonly head: ReturnType<typeof readHead>;
  /** The collection time: when the order arrived, the same in all reports. */
  readonly drawnAt: Date;
  readonly patient: ReportEnvelope['patient'];
}

const LIMIT_BYTES = 1024 * 1024;
const IDLE_MS = 60_000;

/** A simulated laboratory on a socket: accepts and acknowledges HL7 orders, and reports simulated results. */
export async function startSimulatedLaboratory(
  options: SimulatedLaboratoryOptions,
): Promise<SimulatedLaboratory> {
  const heard: Buffer[] = [];
  const orders = new Map<string, StoredLaboratoryOrder>();
  let code: 'AA' | 'AE' | 'AR' | null = 'AA';
  let reports = 0;
  const listener = await listen(
    {
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      tls: undefined,
      limitBytes: LIMIT_BYTES,
      idleMs: IDLE_MS,
      connections: 100,
    },
    async ({ bytes }) => {
      heard.push(bytes);
      if (code === 'AA') storeOrder(orders, { bytes, options });
      const text = code === 'AA' ? null : 'Refused as asked';
      return (
        code &&
        writeAcknowledgement(readHead(bytes, 'hl7'), {
          code,
          text,
          id: `A${heard.length}`,
          at: options.now(),
        })
      );
    },
  );
  return {
    port: listener.port,
    receivedMessages: heard,
    orders,
    placeOrder: (bytes) => storeOrder(orders, { bytes, options }),
    setAcknowledgement: (next) => {
      code = next;
    },
    sendReport: async (placer, to, wish) => {
      const order = orders.get(placer);
      if (!order) throw new Error(`The laboratory has no order ${placer}`);
      const controlId = `R${(reports += 1)}-${placer}`;
      const bytes = await createReportMessage(order, { controlId, at: options.now(), wish: wish ?? {} });
      return sendMessage(to, { bytes, controlId });
    },
    close: () => listener.close(),
  };
}

function storeOrder(
  orders: Map<string, StoredLaboratoryOrder>,
  { bytes, options }: { bytes: Buffer; options: SimulatedLaboratoryOptions },
): void {
  const parsed = parseMessage(bytes);
  const read = createFieldReader(parsed);
  const named = (name: string) => parsed.segments.filter((segment) => segment.name === name);
  const [orc] = named('ORC');
  const placer = read.get(orc, 2) ?? '';
  const known = orders.get(placer);
  const keep = (order: StoredLaboratoryOrder) => {
    orders.set(placer, order);
    options.onOrder?.(order);
  };
  if (read.get(orc, 1) === 'CA') {
    if (known) keep({ ...known, cancelled: true });
    return;
  }
  const tests = named('OBR').flatMap((obr) => options.findTest(read.get(obr, 4) ?? '') ?? []);
  const head = readHead(bytes, 'hl7');
  const drawnAt = known?.drawnAt ?? options.now();
  keep({ placer, tests, cancelled: false, head, drawnAt, patient: readPatient(parsed, read) });
}

function readPatient({ segments }: Hl7Message, read: FieldReader): StoredLaboratoryOrder['patient'] {
  const pid = segments.find(({ name }) => name === 'PID');
  const at = (field: number, component = 1) => read.get(pid, field, component) ?? '';
  return { id: at(3), lastName: at(5, 1), firstName: at(5, 2), dob: at(7), gender: at(8) };
}

interface SimulatedReportInput {
  readonly controlId: string;
  readonly at: Date;
  readonly wish: Partial<SimulatedReportRequest>;
}

async function createReportMessage(
  { placer, tests, head, drawnAt, patient }: StoredLaboratoryOrder,
  { controlId, at, wish }: SimulatedReportInput,
): Promise<Buffer> {
  const placed: PlacedRequisition = {
    tenant: { teamId: '', environment: 'sandbox' },
    orderId: placer,
    lab: head.ourFacility,
    accountNumber: null,
    patient: { ...patient, dob: patient.dob.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3') },
    tests,
    clinicalNotes: null,
    priority: false,
    sampleId: placer,
    collectedAt: drawnAt,
    receivedAt: drawnAt,
    reportedAt: at,
    wish: { interpretation: 'normal', resultTypes: null, hasMissingResults: false, status: 'final', ...wish },
  };
  const [report]: readonly LabReport[] = await createSimulatedLabNetwork().reports(placed);
  if (!report) throw new Error('The laboratory measured nothing');
  return writeReport(report, {
    // Results go to the sender of the order.
    labApplication: head.ourApplication,
    labFacility: head.ourFacility,
    ourApplication: head.labApplication,
    ourFacility: head.labFacility,
    controlId,
    placer,
    filler: `F${placer}`,
    processing: head.processing,
    patient,
    codes: new Map(
      tests.map(({ markerId, providerId, slug, name }) => [markerId, { code: providerId ?? slug, name }]),
    ),
    collectedAt: drawnAt,
    at,
  });
}
