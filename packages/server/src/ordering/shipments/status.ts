import { PARCEL_STATUSES, type ParcelStatus } from '../../adapters/courier/port.ts';
import { factsAfter, canMove, type OrderFacts, type OrderStep } from '../orders/status.ts';

/**
 * Maps courier statuses to order steps. A courier reports late, out of order, or skips scans, so an update may imply
 * earlier steps (`via`). An order never moves backwards: an update that does not fit its current step is not applied.
 */

/** The two legs of a kit's shipment: to its user, and back to the laboratory. */
export type ShipmentLeg = 'outbound' | 'inbound';

export const SHIPMENT_LEGS = ['outbound', 'inbound'] as const;
export { PARCEL_STATUSES };

/** The step that a courier status leads to, and the steps that it implies, in order. */
interface ParcelStatusEffect {
  readonly to: OrderStep;
  readonly via: readonly OrderStep[];
}

const OUTBOUND_STEPS: readonly OrderStep[] = ['awaiting_registration', 'transit_customer'];
const RETURN_STEPS: readonly OrderStep[] = [...OUTBOUND_STEPS, 'with_customer', 'transit_lab'];

/** What each courier status means on each leg; null if it does not affect the order. */
// prettier-ignore
export const PARCEL_STATUS_EFFECTS: Readonly<Record<ShipmentLeg, Readonly<Record<ParcelStatus, ParcelStatusEffect | null>>>> = {
  outbound: {
    announced:        null,
    in_transit:       { to: 'transit_customer',               via: ['awaiting_registration'] },
    out_for_delivery: { to: 'out_for_delivery',               via: OUTBOUND_STEPS },
    delivered:        { to: 'with_customer',                  via: OUTBOUND_STEPS },
    problem:          { to: 'problem_in_transit_customer',    via: OUTBOUND_STEPS },
    undeliverable:    { to: 'failure_to_deliver_to_customer', via: OUTBOUND_STEPS },
    lost:             { to: 'lost',                           via: [...OUTBOUND_STEPS, 'problem_in_transit_customer'] },
    unknown:          null,
  },
  inbound: {
    announced:        null,
    in_transit:       { to: 'transit_lab',               via: RETURN_STEPS.slice(0, -1) },
    // Orders have no step of their own for the last mile to the laboratory.
    out_for_delivery: { to: 'transit_lab',               via: RETURN_STEPS.slice(0, -1) },
    delivered:        { to: 'delivered_to_lab',          via: RETURN_STEPS },
    problem:          { to: 'problem_in_transit_lab',    via: RETURN_STEPS },
    undeliverable:    { to: 'failure_to_deliver_to_lab', via: RETURN_STEPS },
    lost:             { to: 'lost',                      via: RETURN_STEPS },
    unknown:          null,
  },
};

/** Whether the status does not affect the order. The parcel keeps its previous status. */
export const isIgnoredStatus = ({ leg, status }: { leg: ShipmentLeg; status: ParcelStatus }): boolean =>
  PARCEL_STATUS_EFFECTS[leg][status] === null;

/** Final statuses: the courier sends no further updates for the parcel. */
export const isFinalParcelStatus = (status: ParcelStatus | null): boolean =>
  status === 'delivered' || status === 'undeliverable' || status === 'lost';

/**
 * The steps that a courier status moves an order through: none if the order is already there or the status does not
 * affect it, undefined if the state machine does not allow the move. Orders never move backwards, and skip only steps
 * that a courier could have reported (`via`).
 */
export function stepsForParcelStatus(
  facts: OrderFacts,
  { leg, status }: { leg: ShipmentLeg; status: ParcelStatus },
): OrderStep[] | undefined {
  const way = PARCEL_STATUS_EFFECTS[leg][status];
  if (!way || way.to === facts.step) return [];
  for (let unseen = 0; unseen <= way.via.length; unseen += 1) {
    const path = [...way.via.slice(way.via.length - unseen), way.to];
    if (isPathAllowed(facts, leg, path)) return path;
  }
  return undefined;
}

/** Whether each step of the path is allowed, and the last one starts while the kit is on the parcel's leg. */
function isPathAllowed(from: OrderFacts, leg: ShipmentLeg, path: readonly OrderStep[]): boolean {
  let facts = from;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (!canMove(facts, step) || (isLast && !KIT_LEGS_BY_SHIPMENT_LEG[leg].has(facts.leg))) return false;
    facts = factsAfter(facts, step);
  }
  return true;
}

/** Where a kit may be when its parcel moves. Distinguishes the legs for `lost`, which ends both. */
const KIT_LEGS_BY_SHIPMENT_LEG = {
  outbound: new Set(['stock', 'outbound']),
  inbound: new Set(['customer', 'inbound']),
};
