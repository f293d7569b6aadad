import { describe, expect, it } from 'vitest';
import type { Courier, Parcel } from './port.ts';
import { simulatedCourier } from './simulated.ts';

const parcel: Parcel = {
  parcelId: 'order/outbound',
  leg: 'outbound',
  to: { name: 'Ada Lovelace', city: 'San Francisco', state: 'CA', zip: '94104', country: 'US' },
};

/** What every body of the port must keep to. A real courier joins this table when there is one. */
const bodies: [string, () => Courier][] = [['the simulated courier', simulatedCourier]];

describe.each(bodies)('%s', (_name, open) => {
  it('makes one label for a parcel, and another for another', async () => {
    const courier = open();
    const label = await courier.ship(parcel);
    expect(label).toEqual({
      courier: expect.stringMatching(/^[a-z]+$/),
      trackingNumber: expect.stringMatching(/^\d{10,30}$/),
      trackingUrl: expect.stringContaining(label.trackingNumber),
    });
    expect(await courier.ship(parcel)).toEqual(label);
    const back = await courier.ship({ ...parcel, parcelId: 'order/inbound', leg: 'inbound' });
    expect(back.trackingNumber).not.toBe(label.trackingNumber);
  });
});
