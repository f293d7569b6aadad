import { z } from 'zod';
import type { OrderModality } from '../../ordering/orders/status.ts';
import type { DemoClient } from './client.ts';
import type { ClinicPerson } from './people.ts';

/** What the demo reads of an order. */
export const KnownOrder = z.object({
  id: z.string(),
  passthrough: z.string().nullable(),
  sample_id: z.string().nullable(),
  events: z.array(z.object({ status: z.string() })),
});
export type KnownOrder = z.output<typeof KnownOrder>;

/** The clinic as far as it exists. */
export interface DemoClinic {
  readonly client: DemoClient;
  readonly seed: string;
  readonly people: readonly ClinicPerson[];
  /** User ids by client_user_id. */
  readonly users: Map<string, string>;
  /** Orders by mark. */
  readonly orders: Map<string, KnownOrder>;
  /** The day until which orders are held that the laboratory does not have yet. */
  readonly heldUntil: string;
  /** The first day of the visits that are still ahead. */
  readonly visitsFrom: string;
  /** A lab test of each collection method. */
  readonly labTests: ReadonlyMap<OrderModality, string>;
}
