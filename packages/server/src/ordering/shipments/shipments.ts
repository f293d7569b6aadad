import { z } from 'zod';
import type { App } from '../../app.ts';
import type { ShippingLabel, PostalAddress } from '../../adapters/courier/port.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Order } from '../orders/orders.ts';
import { startParcelTracking } from './track-parcel.ts';
import { Shipment } from './schema.ts';
import type { ShipmentLeg } from './status.ts';
import * as store from './store.ts';

export type { ShipmentLeg } from './status.ts';

/** A label with the courier service that issued it. */
export interface PurchasedLabel extends ShippingLabel {
  readonly service: string;
}

/** Buys a label from the courier. Call outside any transaction. Idempotent per order and leg. */
export async function requestLabel(
  app: App,
  tenant: Tenant,
  { order, leg }: { order: Order; leg: ShipmentLeg },
): Promise<PurchasedLabel> {
  const courier = app.couriers[tenant.environment];
  if (!courier) throw new DomainError('unavailable', `No courier is connected in ${tenant.environment}`);
  const ends =
    leg === 'outbound'
      ? { from: null, to: kitUserAddress(order) }
      : { from: kitUserAddress(order), to: labAddress(order) };
  const label = await courier.buyLabel({ parcelId: `${order.id}/${leg}`, leg, ...ends });
  return { ...label, service: courier.name };
}

/** The address of the kit's user. Empty for a kit that was handed out in person and whose address is unknown. */
function kitUserAddress({ private: { shipping, address, patient } }: Order): PostalAddress {
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

function labAddress(order: Order): PostalAddress {
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

export type LabelsByLeg = ReadonlyMap<ShipmentLeg, PurchasedLabel>;

/**
 * Stores labels and starts to track their parcels. Returns the order's new `shipment`, to be written with the step that
 * the labels belong to; an empty object if a concurrent call has stored labels first.
 */
export async function storeLabels(
  work: Work,
  order: Order,
  labels: LabelsByLeg,
): Promise<{ shipment?: string }> {
  if (labels.size === 0) return {};
  const now = isoTimestamp(work.now);
  const known = order.shipment === null ? undefined : Shipment.parse(order.shipment);
  let shipment: Shipment = {
    ...(known ?? { ...emptyShipment, id: newId(), created_at: now }),
    updated_at: now,
  };
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
  { leg, label }: { leg: ShipmentLeg; label: PurchasedLabel },
): Promise<boolean> {
  const inserted = await store.insertParcel(work, {
    order_id: order.id,
    leg,
    service: label.service,
    courier: label.courier,
    tracking_number: label.trackingNumber,
    tracker_id: label.trackerId,
  });
  // The simulated courier sends no updates, so there is nothing to track.
  if (inserted && work.tenant.environment === 'production') {
    await enqueue(work, startParcelTracking, { order_id: order.id, leg });
  }
  return inserted;
}

const emptyShipment = {
  outbound_tracking_number: null,
  outbound_tracking_url: null,
  inbound_tracking_number: null,
  inbound_tracking_url: null,
  outbound_courier: null,
  inbound_courier: null,
  notes: null,
};
