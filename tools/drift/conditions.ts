import {
  canMove,
  type OrderFacts,
  type OrderModality,
  type OrderStep,
} from '../../packages/server/src/ordering/orders/status.ts';

const LEGS: readonly OrderFacts['leg'][] = ['stock', 'outbound', 'customer', 'inbound', 'lab'];
const BOTH = [true, false];

/** Every order that can stand at a step, as far as the machines care. */
const factsAt = (modality: OrderModality, step: OrderStep): OrderFacts[] =>
  LEGS.flatMap((leg) =>
    BOTH.flatMap((registrable) =>
      BOTH.flatMap((registered) =>
        BOTH.map((hasRequisition) => ({ modality, step, leg, registrable, registered, hasRequisition })),
      ),
    ),
  );

/**
 * When a move is open, in words, found by trying all facts; undefined when it always is.
 * Says `some orders` where neither what is needed nor what is in the way can be said in one breath.
 */
export function conditionOf(modality: OrderModality, step: OrderStep, to: OrderStep): string | undefined {
  const all = factsAt(modality, step);
  const open = all.filter((facts) => canMove(facts, to));
  if (open.length === all.length) return undefined;
  const shut = all.filter((facts) => !open.includes(facts));
  const needed = sayWhat(open, all);
  if (needed !== undefined) return needed;
  const inTheWay = sayWhat(shut, all);
  return inTheWay === undefined ? 'some orders' : `unless ${inTheWay}`;
}

const NAMES = ['leg', 'registrable', 'registered', 'hasRequisition'] as const;

const said: Readonly<Record<(typeof NAMES)[number], (value: unknown) => string>> = {
  leg: (value) => (value === 'stock' ? 'not sent yet' : `kit at the ${String(value)}`),
  registrable: (value) => (value === true ? 'registrable kit' : 'kit for a known patient'),
  registered: (value) => (value === true ? 'registered' : 'not registered'),
  hasRequisition: (value) => (value === true ? 'requested' : 'not requested'),
};

/** What all of `some` have in common, if nobody else has it. */
function sayWhat(some: readonly OrderFacts[], all: readonly OrderFacts[]): string | undefined {
  const [first] = some;
  if (!first) return undefined;
  const names = NAMES.filter((name) => some.every((facts) => facts[name] === first[name]));
  const fitting = all.filter((facts) => names.every((name) => facts[name] === first[name]));
  return fitting.length === some.length
    ? names.map((name) => said[name](first[name])).join(' and ')
    : undefined;
}
