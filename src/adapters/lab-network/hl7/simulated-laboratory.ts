import type { LabReport, PlacedRequisition, RequestedTest, ReportWish } from '../port.ts';
import { simulatedLabNetwork } from '../simulated.ts';
import type { LabAnswer, MllpTarget } from '../wire.ts';
import { acknowledge } from './acknowledge.ts';
import { send } from './client.ts';
import { headOf } from './head.ts';
import { listen } from './server.ts';
import { parse, readerOf, type FieldReader, type Message } from './syntax.ts';
import { writeReport, type ReportEnvelope } from './write-report.ts';

/** An order as the laboratory has it. */
export interface OrderAtLaboratory {
  readonly placer: string;
  readonly tests: readonly RequestedTest[];
  readonly cancelled: boolean;
}

export interface LaboratoryOptions {
  readonly host?: string;
  readonly port?: number;
  readonly now: () => Date;
  /** What the laboratory does when it is asked for a test by this code; undefined for one that it does not do. */
  readonly testOf: (code: string) => RequestedTest | undefined;
  /** Told of every order that was placed or withdrawn, as the laboratory has it from then on. */
  readonly onOrder?: (order: OrderAtLaboratory) => void;
}

export interface SimulatedLaboratory {
  readonly port: number;
  /** What it was sent, as it came. */
  readonly heard: readonly Buffer[];
  readonly orders: ReadonlyMap<string, OrderAtLaboratory>;
  /** Takes an order as if it had come by the line. Throws what a text that is no message is read with. */
  place(bytes: Buffer): void;
  /** How it answers from now on; null is silence. */
  answerWith(code: 'AA' | 'AE' | 'AR' | null): void;
  /** Measures what was ordered under a placer number, and sends the results there. */
  report(placer: string, to: MllpTarget, wish?: Partial<ReportWish>): Promise<LabAnswer>;
  close(): Promise<void>;
}

interface Kept extends OrderAtLaboratory {
  readonly head: ReturnType<typeof headOf>;
  /** The specimen is drawn once, however often it is reported on: when the order came. */
  readonly drawnAt: Date;
  readonly patient: ReportEnvelope['patient'];
}

const LIMIT_BYTES = 1024 * 1024;
const IDLE_MS = 60_000;

/** A laboratory behind a socket: takes orders by HL7, acknowledges them, and measures what the simulated one measures. */
export async function openSimulatedLaboratory(options: LaboratoryOptions): Promise<SimulatedLaboratory> {
  const heard: Buffer[] = [];
  const orders = new Map<string, Kept>();
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
      if (code === 'AA') keepOrder(orders, { bytes, options });
      const text = code === 'AA' ? null : 'Refused as asked';
      return (
        code && acknowledge(headOf(bytes, 'hl7'), { code, text, id: `A${heard.length}`, at: options.now() })
      );
    },
  );
  return {
    port: listener.port,
    heard,
    orders,
    place: (bytes) => keepOrder(orders, { bytes, options }),
    answerWith: (next) => {
      code = next;
    },
    report: async (placer, to, wish) => {
      const order = orders.get(placer);
      if (!order) throw new Error(`The laboratory has no order ${placer}`);
      const controlId = `R${(reports += 1)}-${placer}`;
      const bytes = await measured(order, { controlId, at: options.now(), wish: wish ?? {} });
      return send(to, { bytes, controlId });
    },
    close: () => listener.close(),
  };
}

function keepOrder(
  orders: Map<string, Kept>,
  { bytes, options }: { bytes: Buffer; options: LaboratoryOptions },
): void {
  const parsed = parse(bytes);
  const read = readerOf(parsed);
  const named = (name: string) => parsed.segments.filter((segment) => segment.name === name);
  const [orc] = named('ORC');
  const placer = read.get(orc, 2) ?? '';
  const known = orders.get(placer);
  const keep = (order: Kept) => {
    orders.set(placer, order);
    options.onOrder?.(order);
  };
  if (read.get(orc, 1) === 'CA') {
    if (known) keep({ ...known, cancelled: true });
    return;
  }
  const tests = named('OBR').flatMap((obr) => options.testOf(read.get(obr, 4) ?? '') ?? []);
  const head = headOf(bytes, 'hl7');
  const drawnAt = known?.drawnAt ?? options.now();
  keep({ placer, tests, cancelled: false, head, drawnAt, patient: patientOf(parsed, read) });
}

function patientOf({ segments }: Message, read: FieldReader): Kept['patient'] {
  const pid = segments.find(({ name }) => name === 'PID');
  const at = (field: number, component = 1) => read.get(pid, field, component) ?? '';
  return { id: at(3), lastName: at(5, 1), firstName: at(5, 2), dob: at(7), gender: at(8) };
}

interface Measuring {
  readonly controlId: string;
  readonly at: Date;
  readonly wish: Partial<ReportWish>;
}

async function measured(
  { placer, tests, head, drawnAt, patient }: Kept,
  { controlId, at, wish }: Measuring,
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
  const [report]: readonly LabReport[] = await simulatedLabNetwork().reports(placed);
  if (!report) throw new Error('The laboratory measured nothing');
  return writeReport(report, {
    // The sender of the order is who gets the results.
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
