import { writeAcknowledgement } from '../src/adapters/lab-network/hl7/acknowledge.ts';
import { sendMessage } from '../src/adapters/lab-network/hl7/client.ts';
import { readHead } from '../src/adapters/lab-network/hl7/head.ts';
import { createHl7LabNetwork } from '../src/adapters/lab-network/hl7/network.ts';
import { readReports } from '../src/adapters/lab-network/hl7/read-report.ts';
import { listen } from '../src/adapters/lab-network/hl7/server.ts';
import {
  startSimulatedLaboratory,
  type SimulatedLaboratory,
} from '../src/adapters/lab-network/hl7/simulated-laboratory.ts';
import type {
  ReceivedAcknowledgement,
  LabNetwork,
  LabOutbox,
  MllpTarget,
  ReceivedReport,
  SimulatedReportRequest,
  RequestedTest,
} from '../src/adapters/lab-network/port.ts';

/** A simulated laboratory on a socket and our MLLP side, without a database. */
export interface Hl7Loopback {
  readonly laboratory: SimulatedLaboratory;
  /** All received reports, oldest first. */
  readonly received: readonly ReceivedReport[];
  /** A new network without placed orders. */
  network(): LabNetwork;
  /** Makes the laboratory send results for this placer order number. */
  report(placer: string, wish?: Partial<SimulatedReportRequest>): Promise<ReceivedAcknowledgement>;
  close(): Promise<void>;
}

const now = new Date('2026-03-02T15:00:00Z');
const mllpTarget = (port: number): MllpTarget => ({
  host: '127.0.0.1',
  addresses: ['127.0.0.1'],
  port,
  tls: undefined,
});

export async function openHl7Loopback(
  testOf: (code: string) => RequestedTest | undefined,
): Promise<Hl7Loopback> {
  const received: ReceivedReport[] = [];
  const laboratory = await startSimulatedLaboratory({ now: () => now, findTest: testOf });
  const ears = await listen(
    { host: '127.0.0.1', port: 0, tls: undefined, limitBytes: 1e6, idleMs: 60_000, connections: 10 },
    async ({ bytes }) => {
      const reading = { lab: 'labcorp', accountNumber: null, timeZone: 'UTC', arrivedAt: now };
      received.push(...readReports(bytes, reading));
      return writeAcknowledgement(readHead(bytes, 'hl7'), { code: 'AA', text: null, id: 'K', at: now });
    },
  );
  return {
    laboratory,
    received,
    network: () => createHl7LabNetwork(immediateOutbox(laboratory.port)),
    report: (placer, wish) => laboratory.sendReport(placer, mllpTarget(ears.port), wish),
    close: async () => {
      await laboratory.close();
      await ears.close();
    },
  };
}

/** Sends immediately and keeps placed orders in memory; the persistent outbox is tested in its module. */
function immediateOutbox(port: number): LabOutbox {
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
        characterSet: 'UNICODE UTF-8',
        at: now,
      });
      const answer = await sendMessage(mllpTarget(port), { bytes, controlId });
      if (answer.code !== 'AA') throw new Error(answer.text ?? '');
      placed.add(controlId).add(orderId);
    },
    wasPlaced: async ({ orderId }) => placed.has(orderId),
  };
}
