import { describe, expect, it } from 'vitest';
import {
  factsAfter,
  canMove,
  isFinalStep,
  machines,
  MODALITIES,
  publicStatus,
  PUBLIC_STATUSES,
  shortestPath,
  STATUS_DETAILS,
  parseStep,
  STEPS,
  topLevel,
  type OrderFacts,
  type KitLeg,
  type OrderModality,
  type OrderStep,
} from './status.ts';

/** What callers read as the status of an order, written out: the tables must not change it unnoticed. */
const AGREED: Readonly<Record<OrderModality, string>> = {
  testkit: `
    received: ordered awaiting_registration requisition_created requisition_bypassed testkit_registered
    collecting_sample: transit_customer problem_in_transit_customer out_for_delivery with_customer transit_lab problem_in_transit_lab
    sample_with_lab: delivered_to_lab lab_processing_blocked
    completed: completed corrected
    failed: failure_to_deliver_to_customer failure_to_deliver_to_lab lost sample_error
    cancelled: cancelled do_not_process`,
  walk_in_test: `
    received: ordered requisition_created requisition_bypassed
    collecting_sample: appointment_pending appointment_scheduled appointment_cancelled redraw_available
    sample_with_lab: partial_results
    completed: completed corrected
    failed: sample_error
    cancelled: cancelled`,
  at_home_phlebotomy: `
    received: ordered requisition_created requisition_bypassed
    collecting_sample: appointment_pending appointment_scheduled appointment_cancelled draw_completed
    sample_with_lab: partial_results
    completed: completed corrected
    failed: sample_error
    cancelled: cancelled`,
  on_site_collection: `
    received: ordered requisition_created requisition_bypassed
    sample_with_lab: draw_completed partial_results
    completed: completed corrected
    failed: sample_error
    cancelled: cancelled`,
};

const AGREED_MODALITIES = ['testkit', 'walk_in_test', 'at_home_phlebotomy', 'on_site_collection'] as const;

const agreed = (modality: OrderModality): string[] =>
  AGREED[modality]
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [top = '', steps = ''] = line.trim().split(': ');
      return steps.split(' ').map((step) => `${top}.${modality}.${step}`);
    });

describe.each(AGREED_MODALITIES)('the public status of %s', (modality) => {
  it('maps each step to the agreed top-level status', () => {
    const steps = STEPS.filter((step) => machines[modality][step]);
    expect(steps.map((step) => publicStatus(modality, step)).toSorted()).toEqual(agreed(modality).toSorted());
  });

  it('is final exactly at completed, failed and cancelled steps', () => {
    const over = STEPS.filter((step) => machines[modality][step] && isFinalStep(modality, step));
    const ends = agreed(modality).filter((status) => /^(?:completed|failed|cancelled)\./.test(status));
    const steps = [...ends, ...(modality === 'walk_in_test' ? ['..redraw_available'] : [])];
    expect(over.toSorted()).toEqual(steps.map((status) => status.split('.').at(-1)).toSorted());
  });
});

it('lists all public statuses', () => {
  expect(MODALITIES).toEqual(AGREED_MODALITIES);
  expect(PUBLIC_STATUSES.toSorted()).toEqual(AGREED_MODALITIES.flatMap(agreed).toSorted());
});

it('treats a step outside of the table as received and final', () => {
  expect(isFinalStep('walk_in_test', 'transit_lab')).toBe(true);
  expect(topLevel('walk_in_test', 'transit_lab')).toBe('received');
});

it('parses a step by its name and by the name that older clients use', () => {
  for (const step of STEPS) expect(parseStep(step)).toBe(step);
  expect(parseStep('registered')).toBe('testkit_registered');
  expect(parseStep('nowhere')).toBeUndefined();
});

it('lists the agreed status details', () => {
  expect(STATUS_DETAILS.join(' ')).toBe(
    'fulfillment_error date_of_collection_unspecified demographic_information_unspecified ' +
      'demographic_information_mismatch sample_quantity_not_sufficient sample_contaminated ' +
      'sample_stability_exceeded sample_hemolyzed sample_improper_collection',
  );
});

const kit = (step: OrderStep, more: Partial<OrderFacts> = {}): OrderFacts => ({
  modality: 'testkit',
  step,
  leg: 'stock',
  registrable: false,
  registered: false,
  ...more,
});

describe('a transition', () => {
  const MOVED: Partial<Record<OrderStep, KitLeg>> = {
    transit_customer: 'outbound',
    with_customer: 'customer',
    transit_lab: 'inbound',
    delivered_to_lab: 'lab',
  };
  const steps = STEPS.filter((step) => machines.testkit[step]);

  it('changes the leg of the kit only if the step defines one', () => {
    for (const leg of ['stock', 'customer'] as const)
      for (const step of steps)
        expect([step, factsAfter(kit('ordered', { leg }), step).leg]).toEqual([step, MOVED[step] ?? leg]);
  });

  it('sets hasRequisition only with a requisition step', () => {
    const telling = steps.filter((step) => factsAfter(kit('ordered'), step).hasRequisition);
    expect(telling.toSorted()).toEqual(['requisition_bypassed', 'requisition_created']);
    const known = factsAfter(kit('requisition_created', { hasRequisition: true }), 'transit_customer');
    expect(known.hasRequisition).toBe(true);
  });
});

// prettier-ignore
const open: [string, OrderFacts, OrderStep, boolean][] = [
  ['an unregistered kit waits for its registration', kit('ordered', { registrable: true }), 'awaiting_registration', true],
  ['a kit of a known patient does not', kit('ordered'), 'awaiting_registration', false],
  ['a kit of a known patient is requested at once', kit('ordered'), 'requisition_created', true],
  ['a visit is requested at once, whatever is said of kits', { ...kit('ordered', { registrable: true }), modality: 'walk_in_test' }, 'requisition_created', true],
  ['a registered kit is no longer waited for', kit('awaiting_registration', { registrable: true, registered: true }), 'testkit_registered', true],
  ['an unregistered kit is not registered', kit('awaiting_registration', { registrable: true }), 'testkit_registered', false],
  ['a kit is registered where its user has it', kit('with_customer', { leg: 'customer', registrable: true, registered: true }), 'testkit_registered', true],
  ['not before it is', kit('with_customer', { leg: 'customer', registrable: true }), 'testkit_registered', false],
  ['nor where there was nothing to register', kit('with_customer', { leg: 'customer', registered: true }), 'testkit_registered', false],
  ['a kit that needed no registration goes back', kit('with_customer', { leg: 'customer' }), 'transit_lab', true],
  ['a registered kit goes back once it was requested', kit('with_customer', { leg: 'customer', registrable: true, registered: true, hasRequisition: true }), 'transit_lab', true],
  ...(['requisition_created', 'requisition_bypassed'] as const).flatMap((step): [string, OrderFacts, OrderStep, boolean][] => [
    [`${step}: a kit in stock is sent`, kit(step), 'transit_customer', true],
    [`${step}: a kit at its user's is not sent`, kit(step, { leg: 'customer' }), 'transit_customer', false],
    [`${step}: a kit at its user's goes back`, kit(step, { leg: 'customer' }), 'transit_lab', true],
    [`${step}: a kit in stock does not`, kit(step), 'transit_lab', false],
  ]),
];

it.each(open)('%s', (_what, facts, to, expected) => {
  expect(canMove(facts, to)).toBe(expected);
});

it('finds the path of a registered kit back to the laboratory', () => {
  const facts = kit('with_customer', { leg: 'customer', registrable: true, registered: true });
  expect(shortestPath(facts, 'delivered_to_lab')).toEqual([
    'testkit_registered',
    'requisition_created',
    'transit_lab',
    'delivered_to_lab',
  ]);
});
