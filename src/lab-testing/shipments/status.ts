import { PARCEL_STATUSES, type ParcelStatus } from '../../adapters/courier/port.ts';
import { after, canMove, type Facts, type Step } from '../orders/status.ts';

/** The two legs of a kit's journey: to its user, and back to the laboratory. */
export type Leg = 'outbound' | 'inbound';

export const LEGS = ['outbound', 'inbound'] as const;
export { PARCEL_STATUSES };

/** Where news bring an order, and the steps that it may have passed unseen, in their order. */
interface Way {
  readonly to: Step;
  readonly via: readonly Step[];
}

const SENT: readonly Step[] = ['awaiting_registration', 'transit_customer'];
const RETURNED: readonly Step[] = [...SENT, 'with_customer', 'transit_lab'];

/** What each word of a courier means on each leg. Null: it tells nothing that an order would want to know. */
// prettier-ignore
export const WAYS: Readonly<Record<Leg, Readonly<Record<ParcelStatus, Way | null>>>> = {
  outbound: {
    announced:        null,
    in_transit:       { to: 'transit_customer',               via: ['awaiting_registration'] },
    out_for_delivery: { to: 'out_for_delivery',               via: SENT },
    delivered:        { to: 'with_customer',                  via: SENT },
    problem:          { to: 'problem_in_transit_customer',    via: SENT },
    undeliverable:    { to: 'failure_to_deliver_to_customer', via: SENT },
    lost:             { to: 'lost',                           via: [...SENT, 'problem_in_transit_customer'] },
    unknown:          null,
  },
  inbound: {
    announced:        null,
    in_transit:       { to: 'transit_lab',               via: RETURNED.slice(0, -1) },
    // The last mile to a laboratory is no step of its own.
    out_for_delivery: { to: 'transit_lab',               via: RETURNED.slice(0, -1) },
    delivered:        { to: 'delivered_to_lab',          via: RETURNED },
    problem:          { to: 'problem_in_transit_lab',    via: RETURNED },
    undeliverable:    { to: 'failure_to_deliver_to_lab', via: RETURNED },
    lost:             { to: 'lost',                      via: RETURNED },
    unknown:          null,
  },
};

/** Whether an order would not want to know it: what was heard before is still what is known of the parcel. */
export const meansNothing = ({ leg, status }: { leg: Leg; status: ParcelStatus }): boolean =>
  WAYS[leg][status] === null;

/** After these the courier has nothing more to say of a parcel. */
export const isSettled = (status: ParcelStatus | null): boolean =>
  status === 'delivered' || status === 'undeliverable' || status === 'lost';

/**
 * The steps that news of a parcel bring an order: none when it stands there or the news mean nothing to it,
 * undefined when its journey does not go there from where it is. Steps are never gone back, and only such are
 * passed unseen as a courier could have told of.
 */
export function stepsTo(
  facts: Facts,
  { leg, status }: { leg: Leg; status: ParcelStatus },
): Step[] | undefined {
  const way = WAYS[leg][status];
  if (!way || way.to === facts.step) return [];
  for (let unseen = 0; unseen <= way.via.length; unseen += 1) {
    const path = [...way.via.slice(way.via.length - unseen), way.to];
    if (isOpen(facts, leg, path)) return path;
  }
  return undefined;
}

/** Whether each step of the path follows from the one before, and the last carries the parcel on its own leg. */
function isOpen(from: Facts, leg: Leg, path: readonly Step[]): boolean {
  let facts = from;
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (!canMove(facts, step) || (isLast && !CARRIED[leg].has(facts.leg))) return false;
    facts = after(facts, step);
  }
  return true;
}

/** Where a kit may be when its parcel moves: the same step, `lost`, ends both legs. */
const CARRIED = {
  outbound: new Set(['stock', 'outbound']),
  inbound: new Set(['customer', 'inbound']),
};
