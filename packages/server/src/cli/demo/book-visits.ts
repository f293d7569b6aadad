import { z } from 'zod';
import { createChance } from './chance.ts';
import { DemoCallError } from './client.ts';
import type { DemoClinic } from './clinic.ts';
import type { ClinicPerson } from './people.ts';
import type { DemoOrder } from './plan-orders.ts';

const Availability = z.object({
  slots: z.array(
    z.object({
      location: z.object({ code: z.string() }).nullable(),
      slots: z.array(z.object({ booking_key: z.string(), start: z.string() })),
    }),
  ),
});

/** Another order may take the chosen slot first. */
const TRIES = 5;
const REFUSED = 400;

interface DemoVisit {
  readonly order: DemoOrder;
  readonly orderId: string;
  readonly person: ClinicPerson;
}

/**
 * Books an appointment after the present, so that it is still ahead when the demo is complete. Returns false where
 * nobody visits the address or no center is near.
 */
export async function bookVisit(clinic: DemoClinic, visit: DemoVisit): Promise<boolean> {
  const { order, orderId } = visit;
  const kind = order.modality === 'at_home_phlebotomy' ? 'phlebotomy' : 'psc';
  const chance = createChance(clinic.seed);
  for (let tried = 1; ; tried += 1) {
    const keys = await findSlots(clinic, visit);
    if (keys.length === 0) return false;
    const path = `/v3/order/${orderId}/${kind}/appointment/book`;
    const body = { booking_key: chance.pick(keys, order.mark, 'slot', tried) };
    try {
      await clinic.client.team({ method: 'POST', path, body, answer: z.unknown() });
      return true;
    } catch (error) {
      if (!(error instanceof DemoCallError) || error.status !== REFUSED || tried === TRIES) throw error;
    }
  }
}

/** The keys of the free slots at the home, or at the nearest center, in the order of their times. */
async function findSlots(clinic: DemoClinic, { order, orderId, person }: DemoVisit): Promise<string[]> {
  const { city, state, zip, first_line } = person.address;
  const start = `start_date=${clinic.visitsFrom}`;
  const { slots: days } =
    order.modality === 'at_home_phlebotomy'
      ? await clinic.client.team({
          method: 'POST',
          path: `/v3/order/phlebotomy/appointment/availability?${start}`,
          body: { first_line, city, state, zip_code: zip },
          answer: Availability,
        })
      : await clinic.client.team({
          method: 'POST',
          path: `/v3/order/psc/appointment/availability?lab=${BOOKING_LAB}&${start}&order_id=${orderId}`,
          answer: Availability,
        });
  const place = days.find(({ slots }) => slots.length > 0)?.location?.code;
  return days
    .filter(({ location }) => location?.code === place)
    .flatMap(({ slots }) => slots)
    .toSorted((a, b) => (a.start < b.start ? -1 : 1))
    .map(({ booking_key: key }) => key);
}

/** A laboratory whose centers take appointments. */
export const BOOKING_LAB = 'quest';
