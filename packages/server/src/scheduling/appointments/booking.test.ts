import { beforeAll, describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  requestAvailability,
  bookAppointment,
  home,
  orderFor,
  appointmentPath,
  freeSlot,
  freeSlots,
  overrideProvider,
  countAppointmentRows,
  type AvailabilityDay,
  type AppointmentKind,
} from '../../../test/appointments.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { SLOT_TAKEN } from './call-provider.ts';

const service = useTestService();
const team = useTestTeam(service);

const KINDS: AppointmentKind[] = ['psc', 'phlebotomy'];
const PROVIDER = { psc: 'quest', phlebotomy: 'getlabs' } as const;
const stepOf = async (id: string, of = team) =>
  (await of.get(`/v3/order/${id}`)).json.last_event.status.split('.').at(-1);
const pass = async (ms: number) => {
  service.clock.move(ms);
  await service.settle();
};
const passUntil = (text: string, more = 0) => pass(Date.parse(text) - service.clock.now().getTime() + more);
const cancelBody = async (kind: AppointmentKind) => ({
  cancellation_reason_id: (await team.get(`/v3/order/${kind}/appointment/cancellation-reasons`)).json[0].id,
});

describe.each(KINDS)('a visit (%s)', (kind) => {
  it('is booked and read, and moves its order', async () => {
    const id = await orderFor(team, kind);
    const slot = await freeSlot(team, kind);
    const booked = await bookAppointment(team, kind, id, { slot, body: { appointment_notes: 'Two cats' } });
    expect(booked.status, booked.text).toBe(200);
    expect(booked.json).toMatchObject({
      order_id: id,
      provider: PROVIDER[kind],
      status: 'confirmed',
      event_status: 'scheduled',
      start_at: slot.start,
      end_at: slot.end,
      can_reschedule: true,
      appointment_notes: 'Two cats',
      iana_timezone: 'America/Los_Angeles',
    });
    expect(booked.json.address.access_notes).toBe(kind === 'phlebotomy' ? 'Gate code 1815' : null);
    expect((await team.get(appointmentPath(kind, id))).json).toEqual(booked.json);
    expect(await stepOf(id)).toBe('appointment_scheduled');
  });

  it('emits an event with the whole appointment for every change', async () => {
    const own = await service.team();
    const receiver = await own.endpoint({ filter_types: ['labtest.appointment.*'] });
    const id = await orderFor(own, kind);
    await bookAppointment(own, kind, id);
    const reasons = await own.get(`/v3/order/${kind}/appointment/cancellation-reasons`);
    const body = { cancellationReasonId: reasons.json[1].id, note: 'On holiday' };
    const cancelled = await own.patch(appointmentPath(kind, id, '/cancel'), body);
    expect(cancelled.json).toMatchObject({
      status: 'cancelled',
      can_reschedule: false,
      event_data: { cancellation_reason_id: reasons.json[1].id, note: 'On holiday' },
    });
    await service.settle();
    expect(receiver.events()).toEqual(['labtest.appointment.created', 'labtest.appointment.updated']);
    expect(receiver.received[1]?.body.data).toEqual(cancelled.json);
    expect(await stepOf(id, own)).toBe('appointment_cancelled');
  });

  it('can be booked again with another key after a cancellation', async () => {
    const id = await orderFor(team, kind);
    const slot = await freeSlot(team, kind);
    const first = await bookAppointment(team, kind, id, { slot });
    await team.patch(appointmentPath(kind, id, '/cancel'), await cancelBody(kind));
    const used = await bookAppointment(team, kind, id, { slot });
    expect([used.status, used.json.detail]).toEqual([400, expect.stringContaining('already been used')]);
    const second = await bookAppointment(team, kind, id);
    expect([second.status, second.json.id === first.json.id]).toEqual([200, false]);
    expect((await team.get(appointmentPath(kind, id))).json.id).toBe(second.json.id);
  });

  it('releases its place when it is cancelled', async () => {
    const id = await orderFor(team, kind);
    const [, slot] = await freeSlots(team, kind);
    const left = async () =>
      (await freeSlots(team, kind)).find(({ start }) => start === slot?.start)?.num_appointments_available ??
      0;
    const before = await left();
    await bookAppointment(team, kind, id, { slot });
    expect(await left()).toBe(before - 1);
    await team.patch(appointmentPath(kind, id, '/cancel'), await cancelBody(kind));
    expect(await left()).toBe(before);
  });
});

describe('fifty concurrent bookings of the last place', () => {
  let own: TestTeam;
  let ids: string[];
  beforeAll(async () => {
    own = await service.team();
    // The first one finds the lab test for all.
    ids = [await orderFor(own, 'psc')];
    ids.push(...(await Promise.all(Array.from({ length: 49 }, () => orderFor(own, 'psc')))));
  });

  it('have one winner and 49 refusals, which store nothing', async () => {
    const slot = (await freeSlots(own, 'psc')).find((one) => one.num_appointments_available === 1);
    expect(slot).toBeDefined();
    const answers = await Promise.all(
      ids.map((id) => own.post(appointmentPath('psc', id, '/book'), { booking_key: slot?.booking_key })),
    );
    const got = answers.filter(({ status }) => status === 200);
    expect(got).toHaveLength(1);
    for (const answer of answers.filter((one) => one !== got[0])) {
      expect([answer.status, answer.json]).toEqual([400, { detail: SLOT_TAKEN }]);
    }
    const { rows } = await service.ownerPool.query(
      `select (select count(*)::int from appointment where team_id = $1) as appointments,
        (select count(*)::int from appointment_place where team_id = $1) as places,
        (select count(*)::int from lab_order_event where team_id = $1 and step like 'appointment%') as steps,
        (select count(*)::int from timer where team_id = $1 and job = 'appointments.settle') as timers`,
      [own.tenant.teamId],
    );
    expect(rows[0]).toEqual({ appointments: 1, places: 1, steps: 1, timers: 1 });
    expect((await freeSlots(own, 'psc')).some(({ start }) => start === slot?.start)).toBe(false);
  });
});

describe('an idempotency key', () => {
  it('used 16 times concurrently books once', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const slot = await freeSlot(team, 'phlebotomy');
    const headers = { 'x-idempotency-key': `book-${id}` };
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => bookAppointment(team, 'phlebotomy', id, { slot, headers })),
    );
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    for (const { status, headers: said } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, said['retry-after']]).toEqual([409, '1']);
    }
    expect(await countAppointmentRows(service, id)).toMatchObject({ appointments: 1, places: 1 });
    const replayed = await bookAppointment(team, 'phlebotomy', id, { slot, headers });
    expect([replayed.headers['idempotency-replayed'], replayed.text]).toEqual(['true', done[0]?.text]);
  });

  it('is kept for 14 days, also after a refusal', async () => {
    const own = await service.team();
    const id = await orderFor(own, 'psc', { to: null });
    const slot = await freeSlot(own, 'psc');
    const headers = { 'x-idempotency-key': 'refused' };
    const refused = await bookAppointment(own, 'psc', id, { slot, headers });
    expect(refused.status).toBe(400);
    service.clock.move(13 * DAY);
    const again = await bookAppointment(own, 'psc', id, { slot, headers });
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([refused.text, 'true']);
    service.clock.move(2 * DAY);
    const anew = await bookAppointment(own, 'psc', id, { slot, headers });
    expect(anew.headers['idempotency-replayed']).toBeUndefined();
  });

  it('resumes the booking of a crashed request', async () => {
    const own = await service.team();
    const id = await orderFor(own, 'psc');
    const slot = await freeSlot(own, 'psc');
    const headers = { 'x-idempotency-key': 'died' };
    let calls: string[] = [];
    const restore = overrideProvider(service, 'quest', (provider) => ({
      book: async (wish) => {
        calls = [...calls, wish.appointmentId];
        if (calls.length === 1) throw new Error('the process dies here');
        return provider.book(wish);
      },
    }));
    expect((await bookAppointment(own, 'psc', id, { slot, headers })).status).toBe(500);
    const answer = await bookAppointment(own, 'psc', id, { slot, headers });
    restore();
    expect([answer.status, answer.json.status]).toEqual([200, 'confirmed']);
    expect([...new Set(calls)]).toEqual([answer.json.id]);
    expect(await countAppointmentRows(service, id)).toMatchObject({ appointments: 1, places: 1 });
  });
});

describe('a provider that', () => {
  const slowly = (error: DomainError | 'taken') => async () => {
    if (error === 'taken') return error;
    throw error;
  };
  // prettier-ignore
  const noes: [string, string, number, RegExp][] = [
    ['SlotTaken',       'has given the slot to somebody else', 400, /no longer available/],
    ['ProviderRefuses', 'refuses the patient',                 400, /does not see this patient/],
    ['ProviderDown',    'cannot be reached',                   503, /did not answer in time; nothing was booked/],
  ];
  it.each(noes)('is %s, %s: the order stays as it was', async (...[lastName, , status, says]) => {
    for (const kind of KINDS) {
      const id = await orderFor(team, kind, { lastName });
      const before = await countAppointmentRows(service, id);
      const answer = await bookAppointment(team, kind, id);
      expect([answer.status, answer.json.detail]).toEqual([status, expect.stringMatching(says)]);
      expect(answer.headers['retry-after']).toBe(status === 503 ? '30' : undefined);
      expect((await team.get(appointmentPath(kind, id))).status).toBe(404);
      await service.settle();
      service.clock.move(10 * MINUTE);
      await service.settle();
      expect(await countAppointmentRows(service, id)).toEqual(before);
      expect(await stepOf(id)).toBe('requisition_created');
    }
  });

  it('books after the request failed gets a cancellation, with retries', async () => {
    const id = await orderFor(team, 'psc');
    let cancelled = 0;
    let appointmentId = '';
    const restore = overrideProvider(service, 'quest', () => ({
      book: async (wish) => {
        appointmentId = wish.appointmentId;
        throw new DomainError('unavailable', 'gone');
      },
      cancel: async (visit) => {
        if (visit.appointmentId === appointmentId) cancelled += 1;
      },
      // The booking that was under way comes through after the first cancellation.
      look: async ({ now }) =>
        cancelled < 2
          ? { providerId: 'P-1', externalId: null, status: 'confirmed', startAt: now, endAt: now, said: null }
          : undefined,
    }));
    expect((await bookAppointment(team, 'psc', id)).status).toBe(503);
    await service.settle();
    expect(cancelled).toBe(1);
    for (let look = 0; look < 3; look += 1) {
      service.clock.move(3 * MINUTE);
      await service.settle();
    }
    restore();
    expect(cancelled).toBe(2);
    const { rows } = await service.ownerPool.query('select id from appointment where id = $1', [
      appointmentId,
    ]);
    expect(rows).toEqual([]);
  });

  it('refuses does not use up the booking key', async () => {
    const id = await orderFor(team, 'psc');
    const slot = (await freeSlots(team, 'psc')).find((one) => one.num_appointments_available === 1);
    const restore = overrideProvider(service, 'quest', () => ({
      book: slowly(new DomainError('unavailable', 'gone')),
    }));
    expect((await bookAppointment(team, 'psc', id, { slot })).status).toBe(503);
    restore();
    expect((await bookAppointment(team, 'psc', id, { slot })).status).toBe(200);
  });

  it('is not connected books nothing', async () => {
    const own = await service.team('production');
    const answer = await own.post('/v3/order/psc/appointment/availability?lab=quest&zip_code=94104');
    expect(answer.status).toBe(503);
  });
});

describe('a booking that is refused', () => {
  const flip = (key: string) => key.slice(0, -2) + (key.endsWith('AA') ? 'BB' : 'AA');
  const other: Record<AppointmentKind, AppointmentKind> = { psc: 'phlebotomy', phlebotomy: 'psc' };

  // prettier-ignore
  const rows: [string, (kind: AppointmentKind) => Promise<{ id: string; key: string; wait?: number }>, number, RegExp][] = [
    ['a forged key',               async (kind) => ({ id: await orderFor(team, kind), key: flip((await freeSlot(team, kind)).booking_key) }), 400, /key is not valid/],
    ['no key at all',              async (kind) => ({ id: await orderFor(team, kind), key: 'abc' }), 400, /key is not valid/],
    ['a key with a tail',          async (kind) => ({ id: await orderFor(team, kind), key: `${(await freeSlot(team, kind)).booking_key}.x` }), 400, /key is not valid/],
    ['an expired key',             async (kind) => ({ id: await orderFor(team, kind), key: (await freeSlot(team, kind)).booking_key, wait: 31 * MINUTE }), 400, /key has expired/],
    ['the key of another team',    async (kind) => ({ id: await orderFor(team, kind), key: (await freeSlot(await service.team(), kind)).booking_key }), 400, /key is not valid/],
    ['a key of the other kind',    async (kind) => ({ id: await orderFor(team, kind), key: (await freeSlot(team, other[kind])).booking_key }), 400, /not for the (laboratory|address) of this order/],
    ['an order of another way',    async (kind) => ({ id: await orderFor(team, other[kind]), key: (await freeSlot(team, kind)).booking_key }), 400, /it has no appointment at/],
    ['an order without requisition', async (kind) => ({ id: await orderFor(team, kind, { to: null }), key: (await freeSlot(team, kind)).booking_key }), 400, /no requisition yet.+final_status=received\.\w+\.requisition_created/],
    ['an order that is completed', async (kind) => ({ id: await orderFor(team, kind, { to: 'completed' }), key: (await freeSlot(team, kind)).booking_key }), 409, /Transition from completed/],
    ['an order that is cancelled', async (kind) => ({ id: await orderFor(team, kind, { to: 'cancelled' }), key: (await freeSlot(team, kind)).booking_key }), 409, /Transition from cancelled/],
    ['no order of the team',       async (kind) => ({ id: await orderFor(await service.team(), kind), key: (await freeSlot(team, kind)).booking_key }), 404, /Order not found/],
  ];
  it.each(rows)('for %s leaves nothing behind', async (...[, make, status, says]) => {
    for (const kind of KINDS) {
      const { id, key, wait } = await make(kind);
      const before = await countAppointmentRows(service, id);
      if (wait !== undefined) service.clock.move(wait);
      const answer = await team.post(appointmentPath(kind, id, '/book'), { booking_key: key });
      expect([answer.status, answer.json.detail]).toEqual([status, expect.stringMatching(says)]);
      expect(await countAppointmentRows(service, id)).toEqual(before);
    }
  });

  it('for a center out of reach, and for another address, leaves nothing behind', async () => {
    const center = await orderFor(team, 'psc');
    const far = (await freeSlots(team, 'psc', '&zip_code=10001&radius=10'))[0];
    const elsewhere = await team.post('/v3/order/phlebotomy/appointment/availability', {
      ...home,
      zip_code: '94105',
    });
    const visit = await orderFor(team, 'phlebotomy');
    const other = elsewhere.json.slots.flatMap(({ slots }: AvailabilityDay) => slots)[0];
    // prettier-ignore
    const tries = [['psc', center, far, /out of reach/], ['phlebotomy', visit, other, /address of this order/]] as const;
    for (const [kind, id, slot, says] of tries) {
      const before = await countAppointmentRows(service, id);
      const answer = await bookAppointment(team, kind, id, { slot });
      expect([answer.status, answer.json.detail]).toEqual([400, expect.stringMatching(says)]);
      expect(await countAppointmentRows(service, id)).toEqual(before);
    }
  });

  it('for an order with an appointment is a 409', async () => {
    const id = await orderFor(team, 'psc');
    const slot = await freeSlot(team, 'psc');
    await bookAppointment(team, 'psc', id, { slot });
    expect(await bookAppointment(team, 'psc', id, { slot })).toMatchObject({ status: 400 });
    const second = await bookAppointment(team, 'psc', id);
    expect([second.status, second.json.detail]).toEqual([409, expect.stringContaining('already')]);
    expect(await countAppointmentRows(service, id)).toMatchObject({ appointments: 1, places: 1 });
  });

  it('for a slot in the past names the reason', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const [slot] = await freeSlots(team, 'phlebotomy');
    service.clock.move(new Date(slot?.start ?? '').getTime() - service.clock.now().getTime() - MINUTE);
    // Only a minute is left, and the key ends with it.
    const near = (await requestAvailability(team, 'phlebotomy')).json.slots[0].slots[0];
    expect(near.expires_at).toBe(near.start);
    service.clock.move(2 * MINUTE);
    const answer = await bookAppointment(team, 'phlebotomy', id, { slot: near });
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      expect.stringContaining('its slot is in the past'),
    ]);
    service.clock.move(HOUR);
  });

  // prettier-ignore
  it.each([
    [{}],
    [{ booking_key: 1 }],
    [{ booking_key: 'k', appointment_notes: 'x'.repeat(1001) }],
    [{ booking_key: 'k', sync_confirmation_timeout_millisecond: 999 }],
    [{ booking_key: 'k', sync_confirmation_timeout_millisecond: 10_001 }],
    [{ booking_key: 'k', async_confirmation_timeout_millisecond: 59_999 }],
    [{ booking_key: 'k', async_confirmation_timeout_millisecond: 172_800_001 }],
  ])('for %j is a 422', async (body) => {
    const id = await orderFor(team, 'psc');
    expect((await team.post(appointmentPath('psc', id, '/book'), body)).status).toBe(422);
  });
});

describe('cancelling', () => {
  // prettier-ignore
  it.each([
    ['an unknown reason',  { cancellation_reason_id: '3f9d6c27-e1a8-4b50-8f4d-000000000000' }, 404],
    ['no reason',          {}, 422],
    ['a reason that is none', { cancellationReasonId: 'x' }, 422],
  ])('with %s changes nothing', async (_name, body, status) => {
    const id = await orderFor(team, 'psc');
    const booked = await bookAppointment(team, 'psc', id);
    expect((await team.patch(appointmentPath('psc', id, '/cancel'), body)).status).toBe(status);
    expect((await team.get(appointmentPath('psc', id))).json).toEqual(booked.json);
  });

  it('is rejected for a missing, ended or started appointment', async () => {
    const body = await cancelBody('phlebotomy');
    const id = await orderFor(team, 'phlebotomy');
    const path = appointmentPath('phlebotomy', id, '/cancel');
    expect((await team.patch(path, body)).status).toBe(404);
    const booked = await bookAppointment(team, 'phlebotomy', id);
    service.clock.move(new Date(booked.json.start_at).getTime() - service.clock.now().getTime());
    expect((await team.patch(path, body)).status).toBe(400);
    await service.settle();
    service.clock.move(2 * HOUR);
    await service.settle();
    expect((await team.patch(path, body)).json.detail).toContain('completed cannot be cancelled');
  });

  it.each(KINDS)('ends a visit after a no-show, so that another can be booked (%s)', async (kind) => {
    const id = await orderFor(team, kind);
    const { json } = await bookAppointment(team, kind, id);
    let told = 0;
    const restore = overrideProvider(service, PROVIDER[kind], () => ({
      look: async ({ last }) => last,
      cancel: async ({ appointmentId }) => {
        if (appointmentId === json.id) told += 1;
        throw new DomainError('bad_request', 'The visit is over');
      },
    }));
    await passUntil(json.end_at, -MINUTE);
    const cancel = async () => team.patch(appointmentPath(kind, id, '/cancel'), await cancelBody(kind));
    expect((await cancel()).json.detail).toContain('has begun');
    await passUntil(json.end_at);
    expect((await cancel()).json.status).toBe('cancelled');
    await pass(DAY);
    restore();
    // It is told of it, and may disagree.
    expect(told).toBe(1);
    expect(await stepOf(id)).toBe('appointment_cancelled');
    expect((await bookAppointment(team, kind, id)).json.status).toBe('confirmed');
  });

  it('ends a visit in progress without an outcome once polling has stopped', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const { json } = await bookAppointment(team, 'phlebotomy', id);
    const restore = overrideProvider(service, 'getlabs', () => ({
      look: async ({ last }) => last && { ...last, status: 'in_progress' },
    }));
    const cancel = async () =>
      team.patch(appointmentPath('phlebotomy', id, '/cancel'), await cancelBody('phlebotomy'));
    await passUntil(json.end_at, 7 * DAY - HOUR);
    expect((await cancel()).json.detail).toContain('in_progress cannot be cancelled');
    await pass(HOUR);
    restore();
    expect((await cancel()).json.status).toBe('cancelled');
    expect((await bookAppointment(team, 'phlebotomy', id)).status).toBe(200);
  });

  it('has reasons with constant ids', async () => {
    const lists = await Promise.all(
      KINDS.map(async (kind) => (await team.get(`/v3/order/${kind}/appointment/cancellation-reasons`)).json),
    );
    const ids = lists.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids[0]).toBe('b5e8a1d4-0c6f-4d37-9b82-4a7f3e1c5d11');
  });
});
