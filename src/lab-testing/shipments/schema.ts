import type { z } from 'zod';
import { ShipmentView } from '../orders/schema.ts';

/** A kit's shipment as the order keeps and shows it: who carries it out and back, and under which numbers. */
export const Shipment = ShipmentView;
export type Shipment = z.output<typeof Shipment>;
