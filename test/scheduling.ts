import type {
  OpenHours,
  SlotWish,
  VisitPlace,
  VisitSlot,
  VisitWish,
} from '../src/adapters/scheduling/port.ts';

const open = (opens: string, closes: string): OpenHours[] => [{ opens, closes }];
const workdays = (hours: OpenHours[]) => [hours, hours, hours, hours, hours];

/** Eight to noon and one to five, Saturdays until noon. */
export const HOURS = [
  ...workdays([...open('08:00', '12:00'), ...open('13:00', '17:00')]),
  open('08:00', '12:00'),
  [],
];

/** A patient service center in New York, but for what is changed. */
export const site = (change: Partial<VisitPlace> = {}): VisitPlace => ({
  code: 'NYC01',
  name: 'Hudson Street',
  address: {
    firstLine: '1 Hudson Street',
    secondLine: null,
    city: 'New York',
    state: 'NY',
    zip: '10013',
    accessNotes: null,
  },
  point: { lat: 40.72, lng: -74.01 },
  timeZone: 'America/New_York',
  hours: HOURS,
  ...change,
});

/** A patient's home: the provider's own hours count. */
export const home = (zip = '10013', change: Partial<VisitPlace> = {}): VisitPlace => {
  const { address, ...rest } = site();
  return {
    ...rest,
    code: zip,
    name: 'Home',
    address: { ...address, zip, accessNotes: 'Ring twice' },
    hours: null,
    ...change,
  };
};

export const visitWish = (
  appointmentId: string,
  change: Partial<VisitWish> & { lastName?: string } = {},
): VisitWish => {
  const { lastName = 'Lovelace', ...rest } = change;
  return {
    appointmentId,
    orderId: `order-of-${appointmentId}`,
    place: home(),
    patient: {
      firstName: 'Ada',
      lastName,
      dob: '1990-12-10',
      gender: 'female',
      phone: '+12125550100',
      email: 'ada@example.com',
    },
    reserveOnly: false,
    notes: 'Has fasted',
    now: new Date('2026-03-02T15:00:00Z'),
    ...rest,
  };
};

export const slotWish = (
  appointmentId: string,
  { slotId, startAt, endAt }: VisitSlot,
  change: Partial<VisitWish> & { lastName?: string } = {},
): SlotWish => ({
  ...visitWish(appointmentId, { place: site(), ...change }),
  slot: { slotId, startAt, endAt },
});
