import { acknowledge } from '../src/adapters/lab-network/hl7/acknowledge.ts';
import { send } from '../src/adapters/lab-network/hl7/client.ts';
import { headOf } from '../src/adapters/lab-network/hl7/head.ts';
import { hl7LabNetwork } from '../src/adapters/lab-network/hl7/network.ts';
import { readReports } from '../src/adapters/lab-network/hl7/read-report.ts';
import { listen } from '../src/adapters/lab-network/hl7/server.ts';
import {
  openSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../src/adapters/lab-network/hl7/simulated-laboratory.ts';
import type {
  LabAnswer,
  LabNetwork,
  LabOutbox,
  MllpTarget,
  ReceivedReport,
  ReportWish,
  RequestedTest,
} from '../src/adapters/lab-network/port.ts';

/** A laboratory behind a socket, and our end of the line to it, without a database. */
export interface Hl7Line {
  readonly laboratory: SimulatedLaboratory;
  /** Every report that came, oldest first. */
  readonly received: readonly ReceivedReport[];
  /** A network that has placed nothing yet. */
  network(): LabNetwork;
  /** Has the laboratory measure what was ordered under this name, and send it to us. */
  report(placer: string, wish?: Partial<ReportWish>): Promise<LabAnswer>;
  close(): Promise<void>;
}

const now = new Date('2026-03-02T15:00:00Z');
const at = (port: number): MllpTarget => ({
  host: '127.0.0.1',
  addresses: ['127.0.0.1'],
  port,
  tls: undefined,
});

export async function openHl7Line(testOf: (code: string) => RequestedTest | undefined): Promise<Hl7Line> {
  const received: ReceivedReport[] = [];
  const laboratory = await openSimulatedLaboratory({ now: () => now, testOf });
  const ears = await listen(
    { host: '127.0.0.1', port: 0, tls: undefined, limitBytes: 1e6, idleMs: 60_000, connections: 10 },
    async ({ bytes }) => {
      const reading = { lab: 'labcorp', accountNumber: null, timeZone: 'UTC', arrivedAt: now };
      received.push(...readReports(bytes, reading));
      return acknowledge(headOf(bytes, 'hl7'), { code: 'AA', text: null, id: 'K', at: now });
    },
  );
  return {
    laboratory,
    received,
    network: () => hl7LabNetwork(straightOutbox(laboratory.port)),
    report: (placer, wish) => laboratory.report(placer, at(ears.port), wish),
    close: async () => {
      await laboratory.close();
      await ears.close();
    },
  };
}

/** Sends at once and remembers in memory what was placed; the one that keeps is tested with its slice. */
function straightOutbox(port: number): LabOutbox {
  const placed = new Set<string>();
  const parties = { labApplication: 'LIS', labFacility: 'LAB', ourApplication: 'US', ourFacility: 'HERE' };
  return {
    deliver: async ({ kind, placer, write, accountNumber, requisition: { orderId } }) => {
      const controlId = `${placer}${kind}`;
      if (placed.has(controlId)) return;
      const bytes = write({
        ...parties,
        controlId,
        placer,
        messageType: 'OML_O21',
        accountNumber,
        processing: 'T',
        at: now,
      });
      const answer = await send(at(port), { bytes, controlId });
      if (answer.code !== 'AA') throw new Error(answer.text ?? '');
      placed.add(controlId).add(orderId);
    },
    wasPlaced: async ({ orderId }) => placed.has(orderId),
  };
}
