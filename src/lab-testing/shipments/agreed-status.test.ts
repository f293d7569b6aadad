import { expect, it } from 'vitest';
import type { Facts } from '../orders/status.ts';
import { isSettled, LEGS, meansNothing, PARCEL_STATUSES, stepsTo, WAYS } from './status.ts';

it('brings an order where agreed, past the steps that may have been missed', () => {
  const lines = LEGS.flatMap((leg) =>
    PARCEL_STATUSES.flatMap((status) => {
      const way = WAYS[leg][status];
      return way ? [`${leg} ${status}: ${way.to} past ${way.via.join(' ')}`] : [];
    }),
  );
  const sent = 'awaiting_registration transit_customer';
  const back = `${sent} with_customer`;
  expect(lines.toSorted()).toEqual(
    [
      'outbound in_transit: transit_customer past awaiting_registration',
      `outbound out_for_delivery: out_for_delivery past ${sent}`,
      `outbound delivered: with_customer past ${sent}`,
      `outbound problem: problem_in_transit_customer past ${sent}`,
      `outbound undeliverable: failure_to_deliver_to_customer past ${sent}`,
      `outbound lost: lost past ${sent} problem_in_transit_customer`,
      `inbound in_transit: transit_lab past ${back}`,
      `inbound out_for_delivery: transit_lab past ${back}`,
      `inbound delivered: delivered_to_lab past ${back} transit_lab`,
      `inbound problem: problem_in_transit_lab past ${back} transit_lab`,
      `inbound undeliverable: failure_to_deliver_to_lab past ${back} transit_lab`,
      `inbound lost: lost past ${back} transit_lab`,
    ].toSorted(),
  );
});

it('learns nothing from an announcement or from what a courier does not know', () => {
  for (const leg of LEGS) {
    const idle = PARCEL_STATUSES.filter((status) => meansNothing({ leg, status }));
    expect(idle.toSorted()).toEqual(['announced', 'unknown']);
  }
});

it('expects no more of a parcel that was delivered, could not be delivered or is lost', () => {
  const settled = PARCEL_STATUSES.filter(isSettled);
  expect(settled.toSorted()).toEqual(['delivered', 'lost', 'undeliverable']);
  expect(isSettled(null)).toBe(false);
});

it('takes the loss of a parcel for the end of its own leg only', () => {
  const facts = (step: Facts['step'], leg: Facts['leg']): Facts => ({
    modality: 'testkit',
    step,
    leg,
    registrable: false,
    registered: false,
    hasRequisition: true,
  });
  expect(stepsTo(facts('transit_customer', 'outbound'), { leg: 'inbound', status: 'lost' })).not.toEqual([
    'lost',
  ]);
  expect(stepsTo(facts('transit_lab', 'inbound'), { leg: 'inbound', status: 'lost' })).toEqual(['lost']);
  expect(stepsTo(facts('transit_lab', 'inbound'), { leg: 'outbound', status: 'lost' })).toBeUndefined();
  expect(stepsTo(facts('transit_customer', 'outbound'), { leg: 'outbound', status: 'lost' })).toEqual([
    'lost',
  ]);
});
