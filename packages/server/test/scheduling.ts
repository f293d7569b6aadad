import type {
  OpenHours,
  SlotBookingRequest,
  VisitLocation,
  VisitSlot,
  VisitRequest,
} from '../src/adapters/scheduling/port.ts';

const open = (opens: string, closes: string): OpenHours[] => [{ opens, closes }];
const workdays = (hours: OpenHours[]) => [hours, hours, hours, hours, hours];

/** 08:00-12:00 and 13:00-17:00 on workdays, 08:00-12:00 on Saturdays. */
export const HOURS = [
  ...workdays([...open('08:00', '12:00'), ...open('13:00', '17:00')]),
  open('08:00', '12:00'),
  [],
];

/** A patient service center in New York, with changes. */
export const site = (change: Partial<VisitLocation> = {}): VisitLocation => ({
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

/** A patient's home, where the provider's own hours apply. */
export const home = (zip = '10013', change: Partial<VisitLocation> = {}): VisitLocation => {
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

export const visitRequest = (
  appointmentId: string,
  change: Partial<VisitRequest> & { lastName?: string } = {},
): VisitRequest => {
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

export const slotBookingRequest = (
  appointmentId: string,
  { slotId, startAt, endAt }: VisitSlot,
  change: Partial<VisitRequest> & { lastName?: string } = {},
): SlotBookingRequest => ({
  ...visitRequest(appointmentId, { place: site(), ...change }),
  slot: { slotId, startAt, endAt },
});
