import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { home, site, slotBookingRequest, visitRequest } from '../../../test/scheduling.ts';
import { DAY, HOUR, later, MINUTE } from '../../platform/clock.ts';
import { createHttpSchedulingProvider } from './http.ts';
import type {
  BookingResult,
  ProviderVisit,
  SchedulingProvider,
  SchedulingProviderName,
  VisitLocation,
  VisitSlot,
} from './port.ts';
import { createSimulatedSchedulingProvider } from './simulated.ts';
import { startSchedulingSimulator, type SchedulingSimulator } from './simulator-server.ts';

const TOKEN = 'token-of-a-simulator';
const now = new Date('2026-03-02T15:00:00Z');

let simulator: SchedulingSimulator;
beforeAll(async () => {
  simulator = await startSchedulingSimulator({ token: TOKEN, slowMs: 30 });
});
afterAll(() => simulator.close());

const bodies: [string, (name: SchedulingProviderName) => SchedulingProvider][] = [
  ['the simulated provider', (name) => createSimulatedSchedulingProvider(name, { slowMs: 30 })],
  [
    'a scheduler behind a socket',
    (name) => createHttpSchedulingProvider(name, { url: simulator.url(name), token: TOKEN }),
  ],
];

const WITH_SLOTS = ['quest', 'sonora_quest', 'getlabs'] as const;
const placeOf = (name: SchedulingProviderName): VisitLocation => (name === 'getlabs' ? home() : site());

/** The contract of every implementation of the port. */
describe.each(bodies)('%s', (_name, open) => {
  const slotsOf = async (
    provider: SchedulingProvider,
    place: VisitLocation,
  ): Promise<readonly VisitSlot[]> => {
    const [answer] = await provider.availability({ places: [place], from: '2026-03-02', days: 14, now });
    return answer?.slots ?? [];
  };
  let used = 0;
  /** A free slot that no other test of this body has. */
  const freeSlot = async (
    provider: SchedulingProvider,
    place = placeOf(provider.name),
  ): Promise<VisitSlot> => {
    const slot = (await slotsOf(provider, place))[(used += 3)];
    if (!slot) throw new Error('There is no slot left');
    return slot;
  };
  const visitOf = (answer: BookingResult): ProviderVisit => {
    if (answer === 'taken') throw new Error('The slot is taken');
    return answer;
  };

  it.each(WITH_SLOTS)(
    '%s: answers slots of every place, in the order of asking and of time',
    async (name) => {
      const places = [placeOf(name), { ...placeOf(name), code: '99501', timeZone: 'America/Anchorage' }];
      const answers = await open(name).availability({ places, from: '2026-03-02', days: 14, now });
      expect(answers.map(({ place }) => place)).toEqual(places);
      for (const { slots } of answers) {
        expect(slots.length).toBeGreaterThan(50);
        const starts = slots.map(({ startAt }) => startAt.getTime());
        expect(starts).toEqual(starts.toSorted((a, b) => a - b));
        expect(new Set(slots.map(({ slotId }) => slotId)).size).toBe(slots.length);
      }
    },
  );

  it('lists more locations than fit in one request', async () => {
    const places = Array.from({ length: 45 }, (_, n) => site({ code: `SITE${n}` }));
    const answers = await open('quest').availability({ places, from: '2026-03-02', days: 14, now });
    expect(answers.map(({ place }) => place.code)).toEqual(places.map(({ code }) => code));
    expect(answers.every(({ slots }) => slots.length > 0)).toBe(true);
  });

  it('returns locations without free slots too', async () => {
    const closed = site({ code: 'CLOSED', hours: Array.from({ length: 7 }, () => []) });
    expect(await slotsOf(open('quest'), closed)).toEqual([]);
    expect(await slotsOf(open('getlabs'), home('99927'))).toEqual([]);
  });

  it.each(WITH_SLOTS)('%s: books once for repeated requests', async (name) => {
    const provider = open(name);
    const slot = await freeSlot(provider);
    const wish = slotBookingRequest(randomUUID(), slot, { place: placeOf(name) });
    const visit = visitOf(await provider.book(wish));
    expect(visit).toMatchObject({ status: 'confirmed', startAt: slot.startAt, endAt: slot.endAt });
    expect(visit.providerId).not.toBe('');
    expect(await provider.book(wish)).toEqual(visit);
    expect(await open(name).book({ ...wish, now: later(now, MINUTE) })).toEqual(visit);
    const other = visitOf(
      await provider.book(
        slotBookingRequest(randomUUID(), await freeSlot(provider), { place: placeOf(name) }),
      ),
    );
    expect(other.providerId).not.toBe(visit.providerId);
  });

  it('books once for concurrent requests', async () => {
    const provider = open('quest');
    const wish = slotBookingRequest(randomUUID(), await freeSlot(provider));
    const [one, two] = await Promise.all([provider.book(wish), provider.book(wish)]);
    expect(one).toEqual(two);
  });

  it('reports when the appointment starts and ends', async () => {
    const provider = open('quest');
    const slot = await freeSlot(provider);
    const wish = slotBookingRequest(randomUUID(), slot);
    const last = visitOf(await provider.book(wish));
    const look = (at: Date) => provider.look({ appointmentId: wish.appointmentId, last, now: at });
    expect(await look(later(slot.startAt, -MINUTE))).toMatchObject({ status: 'confirmed' });
    expect(await look(slot.startAt)).toMatchObject({ status: 'in_progress', startAt: slot.startAt });
    expect(await look(slot.endAt)).toMatchObject({ status: 'completed', providerId: last.providerId });
  });

  it('reserves a slot until the requisition arrives, and then confirms it', async () => {
    const provider = open('quest');
    const wish = slotBookingRequest(randomUUID(), await freeSlot(provider), { reserveOnly: true });
    const reserved = visitOf(await provider.book(wish));
    const { appointmentId } = wish;
    expect(reserved.status).toBe('reserved');
    expect(await provider.look({ appointmentId, last: reserved, now: later(now, HOUR) })).toMatchObject({
      status: 'reserved',
    });
    const confirmed = await provider.confirm({ appointmentId, last: reserved });
    expect(confirmed).toMatchObject({
      status: 'confirmed',
      providerId: reserved.providerId,
      startAt: reserved.startAt,
    });
    expect(await provider.confirm({ appointmentId, last: confirmed })).toEqual(confirmed);
  });

  it('reschedules an appointment, and keeps the old slot if the new one is taken', async () => {
    const provider = open('quest');
    const wish = slotBookingRequest(randomUUID(), await freeSlot(provider));
    const { providerId } = visitOf(await provider.book(wish));
    const slot = await freeSlot(provider);
    const moved = visitOf(
      await provider.reschedule({ ...slotBookingRequest(wish.appointmentId, slot), providerId }),
    );
    expect(moved).toMatchObject({
      providerId,
      status: 'confirmed',
      startAt: slot.startAt,
      endAt: slot.endAt,
    });
    const elsewhere = slotBookingRequest(wish.appointmentId, await freeSlot(provider), {
      lastName: 'SlotTaken',
    });
    expect(await provider.reschedule({ ...elsewhere, providerId })).toBe('taken');
    const { appointmentId } = wish;
    expect(await provider.look({ appointmentId, last: moved, now })).toMatchObject({ startAt: slot.startAt });
  });

  it('books an unknown appointment when it is rescheduled', async () => {
    const provider = open('quest');
    const wish = slotBookingRequest(randomUUID(), await freeSlot(provider));
    expect(await provider.reschedule({ ...wish, providerId: null })).toMatchObject({ status: 'confirmed' });
  });

  it('cancels idempotently, even an unknown appointment', async () => {
    const provider = open('quest');
    const wish = slotBookingRequest(randomUUID(), await freeSlot(provider));
    const visit = visitOf(await provider.book(wish));
    const { appointmentId } = wish;
    // As long as a note may be that a team gives with its reason.
    const back = { appointmentId, reason: 'PATIENT', note: 'x'.repeat(5000) };
    await provider.cancel(back);
    await provider.cancel(back);
    const last = { ...visit, status: 'cancelled' } as const;
    const seen = await provider.look({ appointmentId, last, now: later(now, 30 * DAY) });
    expect(seen).toMatchObject({ status: 'cancelled', providerId: visit.providerId });
    await provider.cancel({ ...back, appointmentId: randomUUID() });
    expect(await provider.look({ appointmentId: randomUUID(), last: undefined, now })).toBeUndefined();
  });

  it('accepts a request and sets its time later', async () => {
    const provider = open('phlebfinders');
    const wish = visitRequest(randomUUID());
    const { appointmentId } = wish;
    const last = await provider.request(wish);
    expect(last).toMatchObject({ status: 'pending', startAt: null, endAt: null });
    expect(await provider.request(wish)).toEqual(last);
    expect(await provider.look({ appointmentId, last, now: later(now, HOUR) })).toEqual(last);
    const set = await provider.look({ appointmentId, last, now: later(now, 12 * HOUR) });
    expect(set).toMatchObject({
      status: 'confirmed',
      providerId: last.providerId,
      startAt: expect.any(Date),
    });
    expect(set && set.startAt && set.startAt > later(now, 12 * HOUR)).toBe(true);
  });

  it('behaves as the last name of the patient demands', async () => {
    const provider = open('quest');
    const ask = async (lastName: string) => {
      const wish = slotBookingRequest(randomUUID(), await freeSlot(provider), { lastName });
      return { wish, asked: provider.book(wish) };
    };
    expect(await (await ask('SlotTaken')).asked).toBe('taken');
    expect(await (await ask('providerslow')).asked).toMatchObject({ status: 'confirmed' });
    await expect((await ask('ProviderDown')).asked).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterSeconds: 30,
    });
    await expect((await ask('ProviderRefuses')).asked).rejects.toMatchObject({ kind: 'bad_request' });
    for (const [lastName, status] of [
      ['ConfirmedLater', 'confirmed'],
      ['RefusedLater', 'cancelled'],
    ] as const) {
      const { wish, asked } = await ask(lastName);
      const last = visitOf(await asked);
      expect(last).toMatchObject({ status: 'pending', startAt: wish.slot.startAt });
      const { appointmentId } = wish;
      expect(await provider.look({ appointmentId, last, now: later(now, 4 * MINUTE) })).toMatchObject({
        status: 'pending',
      });
      expect(await provider.look({ appointmentId, last, now: later(now, 5 * MINUTE) })).toMatchObject({
        status,
      });
    }
  });

  it('reserves later if reserve-only, and confirms later if confirmed meanwhile', async () => {
    const provider = open('quest');
    const later5 = later(now, 5 * MINUTE);
    const book = async () => {
      const wish = slotBookingRequest(randomUUID(), await freeSlot(provider), {
        lastName: 'ConfirmedLater',
        reserveOnly: true,
      });
      return { appointmentId: wish.appointmentId, last: visitOf(await provider.book(wish)) };
    };
    expect(await provider.look({ ...(await book()), now: later5 })).toMatchObject({ status: 'reserved' });
    const { appointmentId, last } = await book();
    const told = await provider.confirm({ appointmentId, last });
    expect(told.status).toBe('pending');
    expect(await provider.look({ appointmentId, last: told, now: later5 })).toMatchObject({
      status: 'confirmed',
    });
  });

  it('refuses a slot of another location or time, and requests of the other kind', async () => {
    const quest = open('quest');
    const slot = await freeSlot(quest);
    const refused = { kind: 'bad_request' };
    const elsewhere = slotBookingRequest(randomUUID(), slot, { place: site({ code: 'OTHER' }) });
    await expect(quest.book(elsewhere)).rejects.toMatchObject(refused);
    const longer = slotBookingRequest(randomUUID(), { ...slot, endAt: later(slot.endAt, HOUR) });
    await expect(quest.book(longer)).rejects.toMatchObject(refused);
    await expect(quest.request(visitRequest(randomUUID()))).rejects.toMatchObject(refused);
    const phlebfinders = open('phlebfinders');
    await expect(phlebfinders.book(slotBookingRequest(randomUUID(), slot))).rejects.toMatchObject(refused);
    const asked = { places: [home()], from: '2026-03-02', days: 14, now };
    await expect(phlebfinders.availability(asked)).rejects.toMatchObject(refused);
  });

  it('does not book a slot that has started', async () => {
    const provider = open('quest');
    const slot = await freeSlot(provider);
    expect(await provider.book(slotBookingRequest(randomUUID(), slot, { now: slot.startAt }))).toBe('taken');
  });
});

describe('the stateful simulator', () => {
  const quest = () => createHttpSchedulingProvider('quest', { url: simulator.url('quest'), token: TOKEN });
  const asked = (place: VisitLocation) => ({ places: [place], from: '2026-03-02', days: 14, now });

  it('gives the last place to one of many concurrent requests, and again when it is free', async () => {
    const place = site({ code: 'CROWD' });
    const [{ slots } = { slots: [] }] = await quest().availability(asked(place));
    const slot = slots.find(({ places }) => places === 2);
    if (!slot) throw new Error('There is no slot of two');
    const wishes = Array.from({ length: 20 }, () => slotBookingRequest(randomUUID(), slot, { place }));
    const answers = await Promise.all(wishes.map((wish) => quest().book(wish)));
    expect(answers.filter((answer) => answer === 'taken')).toHaveLength(18);
    const [after] = await quest().availability(asked(place));
    expect(after?.slots.map(({ slotId }) => slotId)).not.toContain(slot.slotId);

    const winner = wishes[answers.findIndex((answer) => answer !== 'taken')];
    await quest().cancel({ appointmentId: winner?.appointmentId ?? '', reason: 'PATIENT', note: 'is ill' });
    expect(
      await quest().look({ appointmentId: winner?.appointmentId ?? '', last: undefined, now }),
    ).toMatchObject({ status: 'cancelled' });
    expect(await quest().book(slotBookingRequest(randomUUID(), slot, { place }))).toMatchObject({
      status: 'confirmed',
    });
    expect(await quest().book(slotBookingRequest(randomUUID(), slot, { place }))).toBe('taken');
  });

  it('releases the old slot when an appointment is rescheduled', async () => {
    const place = site({ code: 'MOVER' });
    const [{ slots } = { slots: [] }] = await quest().availability(asked(place));
    const [one, two] = slots.filter(({ places }) => places === 1);
    if (!one || !two) throw new Error('There are no slots of one');
    const id = randomUUID();
    await quest().book(slotBookingRequest(id, one, { place }));
    expect(await quest().book(slotBookingRequest(randomUUID(), one, { place }))).toBe('taken');
    await quest().reschedule({ ...slotBookingRequest(id, two, { place }), providerId: null });
    expect(await quest().book(slotBookingRequest(randomUUID(), one, { place }))).toMatchObject({
      status: 'confirmed',
    });
    expect(await quest().book(slotBookingRequest(randomUUID(), two, { place }))).toBe('taken');
  });
});
