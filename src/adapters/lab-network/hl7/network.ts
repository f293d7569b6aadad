import type { LabNetwork, LabOutbox } from '../port.ts';
import { placerNumber } from './placer.ts';
import { writeCancellation, writeOrder } from './write-order.ts';

/**
 * Laboratories that are asked by HL7 v2. A requisition is named by a number that follows from the order's id, which
 * is its sample id from then on; results come of the laboratory's own accord, so there is none to be asked for.
 */
export function hl7LabNetwork(outbox: LabOutbox): LabNetwork {
  return {
    requestTests: async (requisition) => {
      const placer = placerNumber(requisition.orderId);
      await outbox.deliver({
        requisition,
        kind: 'new',
        placer,
        accountNumber: requisition.accountNumber,
        write: (envelope) => writeOrder(requisition, envelope),
      });
      return { sampleId: placer };
    },
    withdrawTests: async (requisition) => {
      // Of what is erased nobody knows whether it was; who asks does so where it may have been.
      const isKnown = requisition.erasedFrom === undefined;
      if (isKnown && !(await outbox.wasPlaced(requisition))) return;
      await outbox.deliver({
        requisition,
        kind: 'cancel',
        placer: placerNumber(requisition.orderId),
        accountNumber: null,
        write: writeCancellation,
      });
    },
    reports: async () => [],
  };
}
