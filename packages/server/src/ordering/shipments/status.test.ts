import { describe, expect, it } from 'vitest';
import { factsAfter, canMove, machines, STEPS, type OrderFacts, type OrderStep } from '../orders/status.ts';
import { SHIPMENT_LEGS, PARCEL_STATUSES, stepsForParcelStatus, PARCEL_STATUS_EFFECTS } from './status.ts';

const ordered: OrderFacts = {
  modality: 'testkit',
  step: 'ordered',
  leg: 'stock',
  registrable: false,
  registered: false,
};

/** Every state that a kit can come to, registered or not. */
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

const states = [
  ...reachable(ordered),
  ...reachable({ ...ordered, registrable: true }),
  ...reachable({ ...ordered, step: 'requisition_bypassed' }),
];
const news = SHIPMENT_LEGS.flatMap((leg) => PARCEL_STATUSES.map((status) => ({ leg, status })));
const pairs = states.flatMap((facts) => news.map((one) => ({ facts, one })));

describe('courier statuses, in every state of a kit', () => {
  it('are tested in every pair', () => {
    expect(pairs.length).toBe(states.length * 16);
    expect(new Set(states.map(({ step }) => step))).toEqual(new Set(Object.keys(machines.testkit)));
  });

  it('move it only along allowed transitions', () => {
    for (const { facts, one } of pairs) {
      let here = facts;
      for (const step of stepsForParcelStatus(facts, one) ?? []) {
        expect([here, step, canMove(here, step)]).toEqual([here, step, true]);
        here = factsAfter(here, step);
      }
    }
  });

  it('move it to their step, or not at all', () => {
    const elsewhere = pairs.filter(({ facts, one }) => {
      const end = stepsForParcelStatus(facts, one)?.at(-1);
      return end !== undefined && end !== PARCEL_STATUS_EFFECTS[one.leg][one.status]?.to;
    });
    expect(elsewhere).toEqual([]);
  });

  it('do nothing the second time', () => {
    for (const { facts, one } of pairs) {
      const arrived = (stepsForParcelStatus(facts, one) ?? []).reduce<OrderFacts>(factsAfter, facts);
      expect([facts, one, stepsForParcelStatus(arrived, one) ?? []]).toEqual([facts, one, []]);
    }
  });

  it('never skip a registration, a requisition, a result or a final step', () => {
    const told = new Set<OrderStep>([
      'awaiting_registration',
      'transit_customer',
      'with_customer',
      'transit_lab',
      'problem_in_transit_customer',
    ]);
    for (const { facts, one } of pairs) {
      for (const step of (stepsForParcelStatus(facts, one) ?? []).slice(0, -1)) expect(told).toContain(step);
    }
  });

  it('of the outbound leg change nothing after delivery', () => {
    for (const facts of states.filter(
      ({ leg }) => leg === 'customer' || leg === 'inbound' || leg === 'lab',
    )) {
      for (const status of PARCEL_STATUSES)
        expect(stepsForParcelStatus(facts, { leg: 'outbound', status }) ?? []).toEqual([]);
    }
  });

  it('do not change an order at a final step', () => {
    for (const facts of states.filter(({ step }) =>
      machines.testkit[step]?.next.every((next) => next === 'corrected'),
    )) {
      for (const one of news) expect(stepsForParcelStatus(facts, one) ?? []).toEqual([]);
    }
  });
});

const at = (step: OrderStep, more: Partial<OrderFacts> = {}): OrderFacts => ({ ...ordered, step, ...more });

// prettier-ignore
const cases: [string, OrderFacts, (typeof news)[number], OrderStep[] | undefined][] = [
  ['a first scan',                   at('requisition_created'),                    { leg: 'outbound', status: 'in_transit' },    ['transit_customer']],
  ['a delivery whose scans we missed', at('requisition_created'),                  { leg: 'outbound', status: 'delivered' },     ['transit_customer', 'with_customer']],
  ['a kit to be registered that leaves', at('ordered', { registrable: true }),     { leg: 'outbound', status: 'in_transit' },    ['awaiting_registration', 'transit_customer']],
  ['a kit that is not ordered yet',  at('ordered'),                                { leg: 'outbound', status: 'in_transit' },    undefined],
  ['trouble',                        at('out_for_delivery', { leg: 'outbound' }),  { leg: 'outbound', status: 'problem' },       ['problem_in_transit_customer']],
  ['trouble that is over',           at('problem_in_transit_customer', { leg: 'outbound' }), { leg: 'outbound', status: 'in_transit' }, ['transit_customer']],
  ['a scan after the last mile began', at('out_for_delivery', { leg: 'outbound' }), { leg: 'outbound', status: 'in_transit' },   undefined],
  ['a kit lost on its last mile',    at('out_for_delivery', { leg: 'outbound' }),  { leg: 'outbound', status: 'lost' },          ['problem_in_transit_customer', 'lost']],
  ['a kit sent back',                at('transit_customer', { leg: 'outbound' }),  { leg: 'outbound', status: 'undeliverable' }, ['failure_to_deliver_to_customer']],
  ['a sample on its way',            at('with_customer', { leg: 'customer' }),     { leg: 'inbound', status: 'in_transit' },     ['transit_lab']],
  ['a sample sent before its delivery was seen', at('transit_customer', { leg: 'outbound' }), { leg: 'inbound', status: 'in_transit' }, ['with_customer', 'transit_lab']],
  ['a sample at the laboratory',     at('transit_lab', { leg: 'inbound' }),        { leg: 'inbound', status: 'delivered' },      ['delivered_to_lab']],
  ['a sample of a kit that nobody registered', at('with_customer', { leg: 'customer', registrable: true }), { leg: 'inbound', status: 'delivered' }, undefined],
  ['the same sample, of which no laboratory knows', at('with_customer', { leg: 'customer', registrable: true, registered: true }), { leg: 'inbound', status: 'delivered' }, undefined],
  ['the same sample after registration', at('requisition_created', { leg: 'customer', registrable: true, registered: true }), { leg: 'inbound', status: 'delivered' }, ['transit_lab', 'delivered_to_lab']],
  ['a second delivery',              at('delivered_to_lab', { leg: 'lab' }),       { leg: 'inbound', status: 'delivered' },      []],
  ['a way out lost after its return', at('transit_lab', { leg: 'inbound' }),       { leg: 'outbound', status: 'lost' },          undefined],
  ['a new label',                    at('requisition_created'),                    { leg: 'outbound', status: 'announced' },     []],
];

it.each(cases)('knows what %s means', (_what, facts, one, path) => {
  expect(stepsForParcelStatus(facts, one)).toEqual(path);
});
