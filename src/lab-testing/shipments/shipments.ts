import type { App } from '../../app.ts';
import type { Label } from '../../adapters/courier/port.ts';
import { isoMoment } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Work } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Order } from '../orders/orders.ts';
import { Shipment } from './schema.ts';

/** The two legs of a kit's journey: to its user, and back to the laboratory. */
export type Leg = 'outbound' | 'inbound';

/** Asks the courier for a label; outside any transaction. Asking twice for an order and a leg makes one. */
export async function requestLabel(
  app: App,
  tenant: Tenant,
  { order, leg }: { order: Order; leg: Leg },
): Promise<Label> {
  const courier = app.couriers[tenant.environment];
  if (!courier) throw new DomainError('unavailable', `No courier is connected in ${tenant.environment}`);
  const { shipping } = order.private;
  const to =
    leg === 'outbound' && shipping ? { ...shipping, name: shipping.receiver_name } : laboratory(order);
  const { name, city, state, zip, country } = to;
  return courier.ship({ parcelId: `${order.id}/${leg}`, leg, to: { name, city, state, zip, country } });
}

const laboratory = (order: Order) => ({ name: order.lab_slug, city: '', state: '', zip: '', country: 'US' });

/** What the order says of its shipment once a label is there; to be written with the step that it belongs to. */
export function withLabel(
  work: Work,
  order: Order,
  { leg, label }: { leg: Leg; label: Label },
): { shipment: string } {
  const known = order.shipment === null ? undefined : Shipment.parse(order.shipment);
  const now = isoMoment(work.now);
  const shipment: Shipment = {
    ...(known ?? { ...unsent, id: newId(), created_at: now }),
    updated_at: now,
    [`${leg}_courier`]: label.courier,
    [`${leg}_tracking_number`]: label.trackingNumber,
    [`${leg}_tracking_url`]: label.trackingUrl,
  };
  return { shipment: JSON.stringify(shipment) };
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
