import {
  machines,
  MODALITIES,
  shortestPath,
  type OrderFacts,
  type OrderModality,
  type OrderStep,
} from '../../ordering/orders/status.ts';
import type { DemoChance } from './chance.ts';

/** A step that an order is simulated to, at one day of the clinic. */
export interface DemoOrderStage {
  readonly day: number;
  readonly step: OrderStep;
  readonly interpretation: 'normal' | 'abnormal' | 'critical';
  /** By booking an appointment, which is still ahead when the demo is complete. */
  readonly isBooked?: true;
}

/** An order of the clinic. Days count from its opening. */
export interface DemoOrder {
  /** In the order's `passthrough`: an interrupted run recognizes the orders that exist. */
  readonly mark: string;
  readonly person: number;
  readonly modality: OrderModality;
  readonly day: number;
  /** A kit that is sent before its patient is known; registered at this day, if at all. */
  readonly kit?: { readonly registeredAt: number | null };
  /** Not given to the laboratory yet. */
  readonly isHeld?: true;
  readonly stages: readonly DemoOrderStage[];
}

export const CLINIC_DAYS = 730;
/** The clock moves to few days only, because it stops at all that comes due on the way. */
const ROUND_DAYS = 28;
const ROUNDS = 25;
const RECENT_DAY = 714;
const ORDERS_PER_PERSON = 3;
const FREQUENT_SHARE = 0.3;
const FREQUENT_ORDERS = 5;
const ABNORMAL_SHARE = 0.15;
const CRITICAL_COUNT = 4;
/** Visits that are booked besides those of the orders in every state, so that the calendar has a fortnight. */
const UPCOMING_VISITS = 12;

/** The days on which a visit of a round takes place: ordered, under way, reported. */
const VISIT_DAYS = [0, 2, 6] as const;

/** What passes between an order and its results, by collection method. */
const UNDER_WAY: Readonly<Record<OrderModality, OrderStep>> = {
  testkit: 'with_customer',
  walk_in_test: 'requisition_created',
  at_home_phlebotomy: 'appointment_scheduled',
  on_site_collection: 'draw_completed',
};

const NEW_ORDER = { step: 'ordered', leg: 'stock', registered: false } as const;

/** Whether an order can be simulated to a step, and whether it has to be a kit without a patient. */
function findWay(modality: OrderModality, step: OrderStep): 'order' | 'kit' | 'registered kit' | undefined {
  if (step === 'ordered') return 'order';
  const facts: OrderFacts = { ...NEW_ORDER, modality, registrable: false };
  if (shortestPath(facts, step)) return 'order';
  if (modality !== 'testkit') return undefined;
  if (shortestPath({ ...facts, registrable: true }, step)) return 'kit';
  return shortestPath({ ...facts, registrable: true, registered: true }, step) ? 'registered kit' : undefined;
}

/** Every step of every collection method that an order can reach: the table of the states of a demo. */
export const DEMO_STATES: readonly {
  modality: OrderModality;
  step: OrderStep;
  way: 'order' | 'kit' | 'registered kit';
}[] = MODALITIES.flatMap((modality) =>
  (Object.keys(machines[modality]) as OrderStep[]).flatMap((step) => {
    const way = findWay(modality, step);
    return way ? [{ modality, step, way }] : [];
  }),
);

/** All orders of a clinic: a history with trends for each person, then orders in every state. */
export function planOrders(chance: DemoChance, people: number): DemoOrder[] {
  const recent = planStates(people);
  const history = Math.max(people * ORDERS_PER_PERSON - recent.length, people);
  return [...planHistory(chance, people, history), ...recent];
}

/** One order in each state; where there are many people, two. */
function planStates(people: number): DemoOrder[] {
  const copies = people * ORDERS_PER_PERSON > DEMO_STATES.length * 4 ? 2 : 1;
  const states = Array.from({ length: copies }, () => DEMO_STATES).flat();
  const critical = Array.from({ length: CRITICAL_COUNT }, (_, at): DemoOrder => ({
    mark: `demo:critical:${at}`,
    person: (at * 7) % people,
    modality: MODALITIES[at % MODALITIES.length] ?? 'walk_in_test',
    day: RECENT_DAY,
    stages: [{ day: CLINIC_DAYS, step: 'completed', interpretation: 'critical' }],
  }));
  const upcoming = Array.from({ length: UPCOMING_VISITS }, (_, at) => planUpcoming(at, people));
  return [...states.map((state, at) => planState(state, at, people)), ...critical, ...upcoming];
}

function planUpcoming(at: number, people: number): DemoOrder {
  return {
    mark: `demo:upcoming:${at}`,
    person: (at * 11 + 2) % people,
    modality: at % 2 === 0 ? 'at_home_phlebotomy' : 'walk_in_test',
    day: RECENT_DAY + 8,
    stages: [{ day: CLINIC_DAYS, step: 'appointment_scheduled', interpretation: 'normal', isBooked: true }],
  };
}

function planState(
  { modality, step, way }: (typeof DEMO_STATES)[number],
  at: number,
  people: number,
): DemoOrder {
  const day = RECENT_DAY + (at % 3) * 4;
  const last = Math.min(day + 4, CLINIC_DAYS);
  const isBooked = step === 'appointment_scheduled' && { isBooked: true as const };
  const stage = { day: last, step, interpretation: 'normal' as const, ...isBooked };
  return {
    mark: `demo:state:${at}`,
    person: (at * 3 + 1) % people,
    modality,
    day,
    ...(way !== 'order' && { kit: { registeredAt: way === 'kit' ? null : last } }),
    ...(step === 'ordered' && { isHeld: true }),
    stages: step === 'ordered' ? [] : [stage],
  };
}

/** The visits of the people over two years, always with the same lab test, so that its markers have trends. */
function planHistory(chance: DemoChance, people: number, count: number): DemoOrder[] {
  const frequent = Math.max(1, Math.round(people * FREQUENT_SHARE));
  const visits = Array.from({ length: people }, () => 0);
  for (let at = 0, left = count; left > 0; at += 1) {
    const person = at % people;
    const isDue = at < people || person < frequent || at >= people * FREQUENT_ORDERS;
    if (!isDue) continue;
    visits[person] = (visits[person] ?? 0) + 1;
    left -= 1;
  }
  return visits.flatMap((number, person) =>
    Array.from({ length: number }, (_, visit) => planVisit(chance, { person, visit, number })),
  );
}

function planVisit(
  chance: DemoChance,
  { person, visit, number }: { person: number; visit: number; number: number },
): DemoOrder {
  const modality = chance.pick(MODALITIES, person, 'modality');
  const share = (visit + chance.of(person, visit, 'round')) / number;
  const day = Math.min(Math.floor(share * ROUNDS), ROUNDS - 1) * ROUND_DAYS;
  const [ordered, underWay, reported] = VISIT_DAYS;
  const interpretation = chance.of(person, visit, 'interpretation') < ABNORMAL_SHARE ? 'abnormal' : 'normal';
  return {
    mark: `demo:visit:${person}:${visit}`,
    person,
    modality,
    day: day + ordered,
    stages: [
      { day: day + underWay, step: UNDER_WAY[modality], interpretation: 'normal' },
      { day: day + reported, step: 'completed', interpretation },
    ],
  };
}
