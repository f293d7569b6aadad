import type { z } from 'zod';
import { ShipmentView } from '../orders/schema.ts';

/** A kit's shipment as stored with the order: couriers and tracking numbers of both legs. */
export const Shipment = ShipmentView;
export type Shipment = z.output<typeof Shipment>;
