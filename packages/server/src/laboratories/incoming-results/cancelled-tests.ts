import type { CancelledTest, ReceivedObservation } from '../../adapters/lab-network/port.ts';
import { isDifferentRequest, isSameOrigin } from './draws.ts';
import { getPanelName, type ReceivedObservations } from './observation-key.ts';

/**
 * The cancellation of each known observation whose test the laboratory canceled as a whole. A canceled test without a
 * known observation has none.
 */
export function listCancellations(
  known: ReceivedObservations,
  tests: readonly CancelledTest[],
): ReadonlyMap<ReceivedObservation, ReceivedObservation> {
  const cancellations = new Map<ReceivedObservation, ReceivedObservation>();
  for (const cancelled of tests) {
    for (const one of findObservationsOf(known, cancelled))
      cancellations.set(one, { ...one, value: null, flags: [], notes: cancelled.notes, status: 'cancelled' });
  }
  return cancellations;
}

/** Those of the canceled draw; without one, all, if only one draw can be meant. */
function findObservationsOf(known: ReceivedObservations, cancelled: CancelledTest): ReceivedObservations {
  const { test, origin = {} } = cancelled;
  const name = getPanelName({ test });
  const ofTest = known.filter((one) => name !== null && getPanelName(one) === name);
  const { filler } = origin;
  const found =
    ofTest.length > 0 ? ofTest : known.filter((one) => filler !== undefined && one.origin?.filler === filler);
  const meant = found.filter((one) => !isDifferentRequest(one.origin, origin));
  const ofDraw = meant.filter((one) => isSameOrigin(one.origin, origin));
  if (ofDraw.length > 0) return ofDraw;
  return meant.every((one) => isSameOrigin(one.origin, meant[0]?.origin)) ? meant : [];
}
