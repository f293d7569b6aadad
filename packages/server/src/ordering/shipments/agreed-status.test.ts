import { expect, it } from 'vitest';
import type { OrderFacts } from '../orders/status.ts';
import {
  isFinalParcelStatus,
  SHIPMENT_LEGS,
  isIgnoredStatus,
  PARCEL_STATUSES,
  stepsForParcelStatus,
  PARCEL_STATUS_EFFECTS,
} from './status.ts';

it('moves an order to the agreed step, through steps that may have been missed', () => {
  const lines = SHIPMENT_LEGS.flatMap((leg) =>
    PARCEL_STATUSES.flatMap((status) => {
      const way = PARCEL_STATUS_EFFECTS[leg][status];
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

it('ignores announced and unknown statuses', () => {
  for (const leg of SHIPMENT_LEGS) {
    const idle = PARCEL_STATUSES.filter((status) => isIgnoredStatus({ leg, status }));
    expect(idle.toSorted()).toEqual(['announced', 'unknown']);
  }
});

it('treats delivered, undeliverable and lost as final', () => {
  const settled = PARCEL_STATUSES.filter(isFinalParcelStatus);
  expect(settled.toSorted()).toEqual(['delivered', 'lost', 'undeliverable']);
  expect(isFinalParcelStatus(null)).toBe(false);
});

it('applies lost only on the leg of the parcel', () => {
  const facts = (step: OrderFacts['step'], leg: OrderFacts['leg']): OrderFacts => ({
    modality: 'testkit',
    step,
    leg,
    registrable: false,
    registered: false,
    hasRequisition: true,
  });
  expect(
    stepsForParcelStatus(facts('transit_customer', 'outbound'), { leg: 'inbound', status: 'lost' }),
  ).not.toEqual(['lost']);
  expect(stepsForParcelStatus(facts('transit_lab', 'inbound'), { leg: 'inbound', status: 'lost' })).toEqual([
    'lost',
  ]);
  expect(
    stepsForParcelStatus(facts('transit_lab', 'inbound'), { leg: 'outbound', status: 'lost' }),
  ).toBeUndefined();
  expect(
    stepsForParcelStatus(facts('transit_customer', 'outbound'), { leg: 'outbound', status: 'lost' }),
  ).toEqual(['lost']);
});
