import { expect, it } from 'vitest';
import { machines, type OrderModality, type OrderStep } from './status.ts';

/**
 * The journeys as they were agreed upon, word for word: `(c)` stands where the team may cancel, `(s)` where it may
 * until the kit is shipped. The tables must say the same, no more and no less.
 */
const AGREED: Readonly<Record<OrderModality, string>> = {
  testkit: `
    ordered(c) -> requisition_created | awaiting_registration
    requisition_created(c) -> transit_customer | transit_lab
    requisition_bypassed(c) -> transit_customer | transit_lab
    awaiting_registration(c) -> transit_customer | testkit_registered
    transit_customer -> out_for_delivery | with_customer | problem_in_transit_customer | failure_to_deliver_to_customer | lost
    problem_in_transit_customer -> transit_customer | out_for_delivery | with_customer | failure_to_deliver_to_customer | lost
    out_for_delivery -> with_customer | problem_in_transit_customer | failure_to_deliver_to_customer
    with_customer -> testkit_registered | transit_lab
    testkit_registered(s) -> requisition_created
    transit_lab -> delivered_to_lab | problem_in_transit_lab | failure_to_deliver_to_lab | lost
    problem_in_transit_lab -> transit_lab | delivered_to_lab | failure_to_deliver_to_lab | lost
    delivered_to_lab -> lab_processing_blocked | completed | sample_error
    lab_processing_blocked -> delivered_to_lab | completed | sample_error
    completed -> corrected
    corrected -> corrected`,
  walk_in_test: `
    ordered(c) -> requisition_created | requisition_bypassed
    requisition_created(c) -> appointment_pending | appointment_scheduled | partial_results | completed | redraw_available | sample_error
    requisition_bypassed(c) -> appointment_pending | appointment_scheduled | partial_results | completed | redraw_available | sample_error
    appointment_pending(c) -> appointment_scheduled | appointment_cancelled
    appointment_scheduled(c) -> appointment_scheduled | appointment_cancelled | partial_results | completed | redraw_available | sample_error
    appointment_cancelled(c) -> appointment_pending | appointment_scheduled | partial_results | completed
    partial_results -> partial_results | completed | redraw_available | sample_error
    completed -> corrected
    corrected -> corrected`,
  at_home_phlebotomy: `
    ordered(c) -> requisition_created | requisition_bypassed
    requisition_created(c) -> appointment_pending | appointment_scheduled
    requisition_bypassed(c) -> appointment_pending | appointment_scheduled
    appointment_pending(c) -> appointment_scheduled | appointment_cancelled
    appointment_scheduled(c) -> appointment_scheduled | appointment_cancelled | draw_completed
    appointment_cancelled(c) -> appointment_pending | appointment_scheduled
    draw_completed(c) -> partial_results | completed | sample_error
    partial_results -> partial_results | completed | sample_error
    completed -> corrected
    corrected -> corrected`,
  on_site_collection: `
    ordered(c) -> requisition_created | requisition_bypassed
    requisition_created(c) -> draw_completed
    requisition_bypassed(c) -> draw_completed
    draw_completed(c) -> partial_results | completed | sample_error
    partial_results -> partial_results | completed | sample_error
    completed -> corrected
    corrected -> corrected`,
};

/** Ways out of a journey; the first has its rule in `(c)`, the second is open to a laboratory before completion. */
const EXITS = new Set<string>(['cancelled', 'do_not_process']);

const marks = { true: '(c)', while_not_shipped: '(s)' } as const;

function linesOf(modality: OrderModality): string[] {
  return Object.entries(machines[modality]).flatMap(([step, row]) => {
    const next = row.next.filter((to: OrderStep) => !EXITS.has(to));
    const mark = row.cancel ? marks[`${row.cancel}`] : '';
    return next.length === 0 ? [] : [`${step}${mark} -> ${next.toSorted().join(' | ')}`];
  });
}

const agreedLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => {
      const [from, to = ''] = line.trim().split(' -> ');
      return `${from} -> ${to.split(' | ').toSorted().join(' | ')}`;
    });

it.each(Object.entries(AGREED) as [OrderModality, string][])('%s goes as agreed', (modality, text) => {
  expect(linesOf(modality).toSorted()).toEqual(agreedLines(text).toSorted());
});

it('is final at failed, cancelled and redraw steps', () => {
  const rows = Object.values(machines).flatMap((each) => Object.values(each));
  const over = rows.filter(({ top }) => top === 'failed' || top === 'cancelled');
  expect(over.filter(({ next }) => next.length > 0)).toEqual([]);
  expect(machines.walk_in_test.redraw_available?.next).toEqual([]);
});

it('allows do_not_process at every step before the result, and at none after', () => {
  for (const [step, row] of Object.entries(machines.testkit)) {
    const isBefore = ['received', 'collecting_sample', 'sample_with_lab'].includes(row.top);
    expect([step, row.next.includes('do_not_process')]).toEqual([step, isBefore]);
  }
});
