import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Label, PostalAddress } from '../../adapters/courier/port.ts';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Order } from '../orders/orders.ts';
import { followParcel } from './follow-parcel.ts';
import { Shipment } from './schema.ts';
import type { Leg } from './status.ts';
import * as store from './store.ts';

export type { Leg } from './status.ts';

/** A label, with the courier that gave it. */
export interface SentLabel extends Label {
  readonly service: string;
}

/** Asks the courier for a label; outside any transaction. Asking twice for an order and a leg makes one. */
export async function requestLabel(
  app: App,
  tenant: Tenant,
  { order, leg }: { order: Order; leg: Leg },
): Promise<SentLabel> {
  const courier = app.couriers[tenant.environment];
  if (!courier) throw new DomainError('unavailable', `No courier is connected in ${tenant.environment}`);
  const ends =
    leg === 'outbound' ? { from: null, to: holder(order) } : { from: holder(order), to: lab(order) };
  const label = await courier.ship({ parcelId: `${order.id}/${leg}`, leg, ...ends });
  return { ...label, service: courier.name };
}

/** Who holds the kit, or is to. One that was handed out is known to be with its patient and no more. */
function holder({ private: { shipping, address, patient } }: Order): PostalAddress {
  const at = shipping ?? address;
  return {
    name: at?.receiver_name ?? '',
    street: at?.first_line ?? '',
    secondLine: at?.second_line ?? null,
    city: at?.city ?? '',
    state: at?.state ?? null,
    zip: at?.zip ?? '',
    country: at?.country ?? 'US',
    phone: at?.phone_number ?? patient?.phone_number ?? null,
  };
}

const OrderedLab = z.object({
  lab: z
    .object({ name: z.string(), first_line_address: z.string(), city: z.string(), zipcode: z.string() })
    .nullable(),
});

function lab(order: Order): PostalAddress {
  const { lab } = OrderedLab.parse(order.lab_test);
  return {
    name: lab?.name ?? order.lab_slug,
    street: lab?.first_line_address ?? '',
    secondLine: null,
    city: lab?.city ?? '',
    state: null,
    zip: lab?.zipcode ?? '',
    country: 'US',
    phone: null,
  };
}

export type Labels = ReadonlyMap<Leg, SentLabel>;

/**
 * Keeps labels and begins to follow their parcels. Answers what the order is to say of its shipment, to be written
 * with the step that the labels belong to; nothing when somebody else has kept labels for it at the same time.
 */
export async function keepLabels(work: Work, order: Order, labels: Labels): Promise<{ shipment?: string }> {
  if (labels.size === 0) return {};
  const now = isoMoment(work.now);
  const known = order.shipment === null ? undefined : Shipment.parse(order.shipment);
  let shipment: Shipment = { ...(known ?? { ...unsent, id: newId(), created_at: now }), updated_at: now };
  for (const [leg, label] of labels) {
    if (!(await insertParcel(work, order, { leg, label }))) return {};
    shipment = {
      ...shipment,
      [`${leg}_courier`]: label.courier,
      [`${leg}_tracking_number`]: label.trackingNumber,
      [`${leg}_tracking_url`]: label.trackingUrl,
    };
  }
  return { shipment: JSON.stringify(shipment) };
}

async function insertParcel(
  work: Work,
  order: Order,
  { leg, label }: { leg: Leg; label: SentLabel },
): Promise<boolean> {
  const inserted = await store.insertParcel(work, {
    order_id: order.id,
    leg,
    service: label.service,
    courier: label.courier,
    tracking_number: label.trackingNumber,
    tracker_id: label.trackerId,
  });
  // The simulated courier has no news of its own: nobody needs to follow it.
  if (inserted && work.tenant.environment === 'production') {
    await enqueue(work, followParcel, { order_id: order.id, leg });
  }
  return inserted;
}

const unsent = {
  outbound_tracking_number: null,
  outbound_tracking_url: null,
  inbound_tracking_number: null,
  inbound_tracking_url: null,
  outbound_courier: null,
  inbound_courier: null,
  notes: null,
};
