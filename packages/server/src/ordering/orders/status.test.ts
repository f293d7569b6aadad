import { describe, expect, it } from 'vitest';
import {
  factsAfter,
  canCancel,
  canMove,
  isFinalStep,
  machines,
  MODALITIES,
  shortestPath,
  STEPS,
  topLevel,
} from './status.ts';
import type { OrderFacts, OrderModality, OrderStep } from './status.ts';

const fresh = (modality: OrderModality, more: Partial<OrderFacts> = {}): OrderFacts => ({
  modality,
  step: 'ordered',
  leg: 'stock',
  registrable: false,
  registered: false,
  ...more,
});

/** Every state of facts that a journey can come to. */
function reachable(start: OrderFacts): OrderFacts[] {
  const seen = new Map<string, OrderFacts>();
  const waiting = [start];
  for (let facts = waiting.pop(); facts; facts = waiting.pop()) {
    const key = JSON.stringify(facts);
    if (seen.has(key)) continue;
    seen.set(key, facts);
    for (const step of STEPS) if (canMove(facts, step)) waiting.push(factsAfter(facts, step));
    if (facts.registrable && !facts.registered) waiting.push({ ...facts, registered: true });
  }
  return [...seen.values()];
}

describe.each(MODALITIES)('the journey of %s', (modality) => {
  const starts =
    modality === 'testkit' ? [fresh(modality), fresh(modality, { registrable: true })] : [fresh(modality)];
  const states = starts.flatMap(reachable);
  // The laboratory that already has the requisition: imported orders begin there.
  const bypassed = reachable(fresh(modality, { step: 'requisition_bypassed' }));

  it('reaches every step of its table', () => {
    const reached = new Set([...states, ...bypassed].map(({ step }) => step));
    expect(Object.keys(machines[modality]).filter((step) => !reached.has(step as OrderStep))).toEqual([]);
  });

  it('reaches a final step from every step', () => {
    const stuck = [...states, ...bypassed].filter(
      (facts) => !reachable(facts).some(({ step }) => isFinalStep(modality, step)),
    );
    expect(stuck).toEqual([]);
  });

  it('leaves a final step only for a correction', () => {
    for (const facts of states.filter(({ step }) => isFinalStep(modality, step))) {
      const next = STEPS.filter((step) => canMove(facts, step));
      expect(next.filter((step) => step !== 'corrected')).toEqual([]);
    }
  });

  it('can be cancelled exactly where its table says so', () => {
    for (const facts of states) expect(canMove(facts, 'cancelled')).toBe(canCancel(facts));
  });
});

// prettier-ignore
const impossible: [string, OrderFacts, OrderStep][] = [
  ['a result before the sample is with the lab', fresh('testkit', { step: 'transit_lab', leg: 'inbound' }), 'completed'],
  ['an unregistered kit on its way back',        fresh('testkit', { step: 'with_customer', leg: 'customer', registrable: true }), 'transit_lab'],
  ['a kit on its way back that no laboratory was asked for', fresh('testkit', { step: 'with_customer', leg: 'customer', registrable: true, registered: true }), 'transit_lab'],
  ['a second way out for a kit that is out',     fresh('testkit', { step: 'requisition_created', leg: 'customer' }), 'transit_customer'],
  ['a requisition before registration',          fresh('testkit', { registrable: true }), 'requisition_created'],
  ['a walk-in kit',                              fresh('walk_in_test'), 'transit_customer'],
  ['a draw before the requisition',              fresh('on_site_collection'), 'draw_completed'],
  ['an order that is cancelled twice',           fresh('testkit', { step: 'cancelled' }), 'cancelled'],
];

it.each(impossible)('does not know %s', (_what, facts, to) => {
  expect(canMove(facts, to)).toBe(false);
});

// prettier-ignore
const cancelling: [string, OrderFacts, boolean][] = [
  ['a registered kit in stock',       fresh('testkit', { step: 'testkit_registered', registrable: true, registered: true }), true],
  ['a registered kit at the patient', fresh('testkit', { step: 'testkit_registered', leg: 'customer', registrable: true, registered: true }), false],
  ['a kit on its way',                fresh('testkit', { step: 'transit_customer', leg: 'outbound' }), false],
  ['a draw at home that is done',     fresh('at_home_phlebotomy', { step: 'draw_completed' }), true],
  ['partial results',                 fresh('walk_in_test', { step: 'partial_results' }), false],
];

it.each(cancelling)('says whether %s may be cancelled', (_what, facts, allowed) => {
  expect(canCancel(facts)).toBe(allowed);
});

it('finds the shortest path of a kit with a known patient', () => {
  expect(shortestPath(fresh('testkit'), 'completed')).toEqual([
    'requisition_created',
    'transit_customer',
    'with_customer',
    'transit_lab',
    'delivered_to_lab',
    'completed',
  ]);
});

it('finds no path for an unregistered kit', () => {
  expect(shortestPath(fresh('testkit', { registrable: true }), 'completed')).toBeUndefined();
  expect(shortestPath(fresh('testkit', { registrable: true }), 'with_customer')).toHaveLength(3);
});

// prettier-ignore
it.each([
  ['on_site_collection', 'draw_completed',   'sample_with_lab'],
  ['at_home_phlebotomy', 'draw_completed',   'collecting_sample'],
  ['walk_in_test',       'redraw_available', 'collecting_sample'],
  ['testkit',            'lost',             'failed'],
  ['testkit',            'do_not_process',   'cancelled'],
] as [OrderModality, OrderStep, string][])('puts %s %s under %s', (modality, step, top) => {
  expect(topLevel(modality, step)).toBe(top);
});
