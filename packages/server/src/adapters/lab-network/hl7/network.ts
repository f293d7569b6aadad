import type { LabNetwork, LabOutbox } from '../port.ts';
import { createPlacerNumber } from './placer.ts';
import { writeCancellation, writeOrder } from './write-order.ts';

/**
 * Laboratories that receive orders by HL7 v2. The placer number, derived from the order id, is also the sample id.
 * Laboratories send results on their own, so `reports` returns none.
 */
export function createHl7LabNetwork(outbox: LabOutbox): LabNetwork {
  return {
    requestTests: async (requisition) => {
      const placer = createPlacerNumber(requisition.orderId);
      await outbox.deliver({
        requisition,
        kind: 'new',
        placer,
        accountNumber: requisition.accountNumber,
        write: (envelope) => writeOrder(requisition, envelope),
      });
      return { sampleId: placer };
    },
    cancelTests: async (requisition) => {
      // Whether an erased order was placed is unknown; callers only ask if it may have been.
      const isKnown = requisition.erasedFrom === undefined;
      if (isKnown && !(await outbox.wasPlaced(requisition))) return;
      await outbox.deliver({
        requisition,
        kind: 'cancel',
        placer: createPlacerNumber(requisition.orderId),
        accountNumber: null,
        write: writeCancellation,
      });
    },
    reports: async () => [],
  };
}
