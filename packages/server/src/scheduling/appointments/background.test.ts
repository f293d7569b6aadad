import { beforeAll, describe, expect, it } from 'vitest';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  bookAppointment,
  home,
  orderFor,
  appointmentPath,
  freeSlots,
  overrideProvider,
  type AppointmentKind,
} from '../../../test/appointments.ts';
import type { VisitRequest } from '../../adapters/scheduling/port.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';

const service = useTestService();
const team = useTestTeam(service);

const KINDS: AppointmentKind[] = ['psc', 'phlebotomy'];
const PROVIDER = { psc: 'quest', phlebotomy: 'getlabs' } as const;
const stepsOf = async (id: string, of = team) =>
  (await of.get(`/v3/order/${id}`)).json.events.map(
    ({ status }: { status: string }) => status.split('.').at(-1) ?? '',
  );
const visitOf = async (kind: AppointmentKind, id: string, of = team) =>
  (await of.get(appointmentPath(kind, id))).json;
const eventsOf = async (kind: AppointmentKind, id: string, of = team) =>
  (await visitOf(kind, id, of)).events.map(({ status }: { status: string }) => status);
const pass = async (ms: number) => {
  service.clock.move(ms);
  await service.settle();
};
const passUntil = (text: string, more = 0) => pass(Date.parse(text) - service.clock.now().getTime() + more);
/** The sandbox's provider answers later to the minute: what is asked within one is answered a minute later. */
const passToTheMinute = () => pass((MINUTE - (service.clock.now().getTime() % MINUTE)) % MINUTE);
const lastSlot = async (kind: AppointmentKind) => (await freeSlots(team, kind)).at(-1);

describe('asynchronous confirmation', () => {
  const wanted = { async_confirmation: true, sync_confirmation_timeout_millisecond: 1000 };

  it('answers pending when the provider takes longer, and confirms in the background', async () => {
    const id = await orderFor(team, 'psc');
    let isBack = false;
    const restore = overrideProvider(service, 'quest', (own) => ({
      book: (wish) => (isBack ? own.book(wish) : new Promise(() => {})),
    }));
    const answer = await bookAppointment(team, 'psc', id, { body: wanted });
    expect([answer.status, answer.json.status, answer.json.event_status]).toEqual([
      200,
      'pending',
      'pending',
    ]);
    expect(answer.json.provider_id).toBe(answer.json.id);
    isBack = true;
    await pass(MINUTE);
    restore();
    expect(await eventsOf('psc', id)).toEqual(['pending', 'scheduled']);
    expect((await stepsOf(id)).slice(-2)).toEqual(['appointment_pending', 'appointment_scheduled']);
  });

  it.each(KINDS)('cancels after the timeout, with an event, also at the provider (%s)', async (kind) => {
    const id = await orderFor(team, kind);
    const asked: string[] = [];
    const restore = overrideProvider(service, PROVIDER[kind], () => ({
      book: async ({ appointmentId }) => {
        asked.push(appointmentId);
        throw new DomainError('unavailable', 'gone');
      },
      cancel: async ({ appointmentId }) => void asked.push(`cancel ${appointmentId}`),
    }));
    const body = { ...wanted, async_confirmation_timeout_millisecond: 20 * MINUTE };
    const { json } = await bookAppointment(team, kind, id, { body });
    expect(json.status).toBe('pending');
    for (let minute = 0; minute < 30; minute += 5) await pass(5 * MINUTE);
    restore();
    expect(await visitOf(kind, id)).toMatchObject({
      status: 'cancelled',
      event_data: { message: 'The scheduling provider did not confirm in time' },
    });
    const askedOfIt = asked.filter((text) => text.endsWith(json.id));
    expect(askedOfIt.filter((text) => text === json.id).length).toBeGreaterThan(2);
    expect(askedOfIt.at(-1)).toBe(`cancel ${json.id}`);
    expect((await stepsOf(id)).at(-1)).toBe('appointment_cancelled');
  });

  it('respects the retry-after time of the provider', async () => {
    const id = await orderFor(team, 'psc');
    const asked: string[] = [];
    const restore = overrideProvider(service, 'quest', () => ({
      book: async ({ appointmentId }) => {
        asked.push(appointmentId);
        throw new DomainError('unavailable', 'Too many at once', 600);
      },
      cancel: async ({ appointmentId }) => {
        asked.push(appointmentId);
        throw new DomainError('unavailable', 'Too many at once', 1800);
      },
    }));
    const told = await bookAppointment(team, 'psc', await orderFor(team, 'psc'), {});
    expect([told.status, told.headers['retry-after']]).toEqual([503, '600']);
    await service.settle();
    const body = { ...wanted, async_confirmation_timeout_millisecond: HOUR };
    const { json: visit } = await bookAppointment(team, 'psc', id, { body });
    expect(visit.status).toBe('pending');
    const timesAsked = () => asked.filter((one) => one === visit.id).length;
    await pass(9 * MINUTE);
    expect(timesAsked()).toBe(1);
    await pass(MINUTE);
    expect(timesAsked()).toBe(2);
    const [reason] = (await team.get('/v3/order/psc/appointment/cancellation-reasons')).json;
    await team.patch(appointmentPath('psc', id, '/cancel'), { cancellationReasonId: reason.id });
    await service.settle();
    await pass(15 * MINUTE);
    restore();
    expect(timesAsked()).toBe(3);
  });

  it('is cancelled if the slot turns out to be taken', async () => {
    const id = await orderFor(team, 'psc');
    let calls = 0;
    const restore = overrideProvider(service, 'quest', () => ({
      book: async () => {
        calls += 1;
        if (calls > 1) return 'taken';
        throw new DomainError('unavailable', 'gone');
      },
    }));
    await bookAppointment(team, 'psc', id, { body: wanted });
    await pass(MINUTE);
    restore();
    expect(await eventsOf('psc', id)).toEqual(['pending', 'cancelled']);
  });

  it('waits for a late confirmation up to the timeout', async () => {
    await passToTheMinute();
    for (const [timeout, status] of [
      [10 * MINUTE, 'confirmed'],
      [2 * MINUTE, 'cancelled'],
    ] as const) {
      const id = await orderFor(team, 'psc', { lastName: 'ConfirmedLater' });
      const body = { ...wanted, async_confirmation_timeout_millisecond: timeout };
      expect((await bookAppointment(team, 'psc', id, { body })).json.status).toBe('pending');
      for (let minute = 0; minute < 7; minute += 1) await pass(MINUTE);
      expect((await visitOf('psc', id)).status).toBe(status);
    }
  });
});

describe('a request that crashes', () => {
  it.each(KINDS)('leaves an appointment that the job finishes (%s)', async (kind) => {
    const receiver = await team.endpoint({ filter_types: ['labtest.appointment.*'] });
    const id = await orderFor(team, kind);
    let calls = 0;
    const restore = overrideProvider(service, PROVIDER[kind], (own) => ({
      book: async (wish) => {
        calls += 1;
        if (calls === 1) throw new Error('the process dies here');
        return own.book(wish);
      },
    }));
    expect((await bookAppointment(team, kind, id)).status).toBe(500);
    expect((await team.get(appointmentPath(kind, id))).status).toBe(404);
    const busy = await bookAppointment(team, kind, id);
    expect([busy.status, busy.json.detail]).toEqual([409, expect.stringContaining('being booked')]);
    await pass(MINUTE);
    restore();
    expect(await visitOf(kind, id)).toMatchObject({ status: 'confirmed' });
    expect(receiver.events()).toEqual(['labtest.appointment.created']);
    expect((await stepsOf(id)).at(-1)).toBe('appointment_scheduled');
  });

  it('leaves nothing if the slot was taken in the meantime', async () => {
    const id = await orderFor(team, 'psc');
    let calls = 0;
    const restore = overrideProvider(service, 'quest', () => ({
      book: async () => {
        calls += 1;
        if (calls === 1) throw new Error('the process dies here');
        return 'taken';
      },
    }));
    await bookAppointment(team, 'psc', id);
    await pass(MINUTE);
    restore();
    const { rows } = await service.ownerPool.query('select 1 from appointment where order_id = $1', [id]);
    expect(rows).toEqual([]);
    expect((await bookAppointment(team, 'psc', id)).status).toBe(200);
  });
});

describe('a visit is updated automatically', () => {
  it.each(KINDS)('from start to end (%s)', async (kind) => {
    const id = await orderFor(team, kind);
    const slot = (await freeSlots(team, kind))[0];
    const { json } = await bookAppointment(team, kind, id, { slot });
    await passUntil(json.start_at, MINUTE);
    expect((await visitOf(kind, id)).status).toBe('in_progress');
    await passUntil(json.end_at, SECOND);
    expect(await eventsOf(kind, id)).toEqual(['scheduled', 'in_progress', 'completed']);
    const last = kind === 'phlebotomy' ? 'draw_completed' : 'appointment_scheduled';
    expect((await stepsOf(id)).at(-1)).toBe(last);
  });

  it('when the provider cancels or moves it', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const slot = await lastSlot('phlebotomy');
    const { json } = await bookAppointment(team, 'phlebotomy', id, { slot });
    let says = { status: 'confirmed', startAt: new Date(Date.parse(json.start_at) + HOUR) } as const as {
      status: 'confirmed' | 'cancelled';
      startAt: Date;
    };
    const restore = overrideProvider(service, 'getlabs', () => ({
      look: async ({ last }) => last && { ...last, ...says, said: 'Our nurse is ill' },
    }));
    await pass(13 * HOUR);
    expect(await visitOf('phlebotomy', id)).toMatchObject({
      status: 'confirmed',
      start_at: `${says.startAt.toISOString().slice(0, -1)}+00:00`,
      event_data: { message: 'Our nurse is ill' },
    });
    says = { ...says, status: 'cancelled' };
    await pass(13 * HOUR);
    restore();
    expect(await eventsOf('phlebotomy', id)).toEqual(['scheduled', 'scheduled', 'cancelled']);
    expect((await stepsOf(id)).at(-1)).toBe('appointment_cancelled');
  });
});

describe('a requested visit', () => {
  const ask = (id: string, more: object = {}, of = team) =>
    of.post(appointmentPath('phlebotomy', id, '/request'), {
      address: home,
      provider: 'phlebfinders',
      ...more,
    });

  it('is pending without times until the provider has set them', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const wishes: VisitRequest[] = [];
    const restore = overrideProvider(service, 'phlebfinders', (own) => ({
      request: async (wish) => {
        wishes.push(wish);
        return own.request(wish);
      },
    }));
    const answer = await ask(id, { appointment_notes: 'After six' });
    restore();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({
      status: 'pending',
      start_at: null,
      end_at: null,
      can_reschedule: false,
      appointment_notes: 'After six',
      provider: 'phlebfinders',
    });
    expect(wishes[0]?.place.address.accessNotes).toBe('Gate code 1815');
    expect((await stepsOf(id)).at(-1)).toBe('appointment_pending');
    const calendar = await team.get(appointmentPath('phlebotomy', id), { accept: 'text/calendar' });
    expect(calendar.status).toBe(409);
    for (let hour = 0; hour < 9; hour += 1) await pass(HOUR);
    const visit = await visitOf('phlebotomy', id);
    expect(visit).toMatchObject({ status: 'confirmed', event_status: 'scheduled' });
    expect(visit.start_at).not.toBeNull();
    expect((await stepsOf(id)).at(-1)).toBe('appointment_scheduled');
  });

  it('is not polled before the retry-after time of the provider', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const { json: asked } = await ask(id);
    let looked = 0;
    const restore = overrideProvider(service, 'phlebfinders', () => ({
      look: async ({ appointmentId }) => {
        if (appointmentId === asked.id) looked += 1;
        throw new DomainError('unavailable', 'Too many at once', 1200);
      },
    }));
    for (let minutes = 0; minutes < 20; minutes += 5) await pass(5 * MINUTE);
    expect(looked).toBe(1);
    await pass(5 * MINUTE);
    expect(looked).toBe(2);
    restore();
  });

  it('is cancelled if the provider has no one available', async () => {
    await passToTheMinute();
    const id = await orderFor(team, 'phlebotomy', { lastName: 'RefusedLater' });
    await ask(id);
    await pass(6 * MINUTE);
    expect(await visitOf('phlebotomy', id)).toMatchObject({
      status: 'cancelled',
      event_data: { message: 'Nobody can be sent' },
    });
  });

  // prettier-ignore
  it.each([
    ['a provider of slots',          { provider: 'getlabs' },                     400],
    ['a provider of centers',        { provider: 'quest' },                       400],
    ['a provider that is none',      { provider: 'acme' },                        422],
    ['another state',                { address: { ...home, state: 'NY' } },       400],
    ['a ZIP code that is nowhere',   { address: { ...home, zip_code: '00000' } }, 404],
    ['no address',                   { address: undefined },                      422],
  ])('is refused for %s', async (_name, more, status) => {
    const id = await orderFor(team, 'phlebotomy');
    const answer = await ask(id, more);
    expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
    expect((await team.get(appointmentPath('phlebotomy', id))).status).toBe(404);
  });
});

describe('before there is a requisition', () => {
  let early: TestTeam;
  beforeAll(async () => {
    early = await service.team();
    const path = `/v1/org/${early.orgId}/team/${early.tenant.teamId}`;
    const set = await early.management.patch(path, { sandbox: { booking_before_requisition_enabled: true } });
    if (set.status !== 200) throw new Error(`The setting was not taken: ${set.text}`);
  });
  const reserve = async (kind: AppointmentKind, more: object = {}) => {
    const id = await orderFor(early, kind, { to: null, more });
    const slot = (await freeSlots(early, kind)).at(-1);
    const answer = await bookAppointment(early, kind, id, { slot });
    expect(answer.status, answer.text).toBe(200);
    return { id, visit: answer.json };
  };

  it.each(KINDS)('a visit is reserved, and confirmed with the requisition (%s)', async (kind) => {
    const { id, visit } = await reserve(kind);
    expect([visit.status, visit.event_status]).toEqual(['reserved', 'reserved']);
    expect(await stepsOf(id, early)).toEqual(['ordered']);
    await early.post(`/v3/order/${id}/test?final_status=requisition_created`);
    await service.settle();
    expect(await eventsOf(kind, id, early)).toEqual(['reserved', 'scheduled']);
    expect(await stepsOf(id, early)).toEqual([
      'ordered',
      'requisition_created',
      'appointment_pending',
      'appointment_scheduled',
    ]);
    // What was to expire has its requisition.
    await pass(9 * HOUR);
    expect((await visitOf(kind, id, early)).status).toBe('confirmed');
  });

  it('a slow confirmation is retried until the visit begins', async () => {
    const { id, visit } = await reserve('phlebotomy');
    let asked = 0;
    const restore = overrideProvider(service, 'getlabs', () => ({
      confirm: async ({ appointmentId, last }) => {
        if (appointmentId === visit.id) asked += 1;
        return last;
      },
    }));
    await early.post(`/v3/order/${id}/test?final_status=requisition_created`);
    await service.settle();
    expect(asked).toBe(1);
    await pass(MINUTE);
    expect(asked).toBe(2);
    for (let times = 0; times < 7; times += 1) await pass(4 * HOUR);
    await passUntil(visit.start_at, -HOUR);
    expect(asked).toBe(10);
    expect(await eventsOf('phlebotomy', id, early)).toEqual(['reserved']);
    await passUntil(visit.start_at);
    restore();
    expect(asked).toBe(11);
    expect(await visitOf('phlebotomy', id, early)).toMatchObject({
      status: 'cancelled',
      event_data: { message: 'The scheduling provider did not confirm in time' },
    });
  });

  it('a deferred confirmation is applied when it arrives', async () => {
    const { id } = await reserve('phlebotomy');
    const restore = overrideProvider(service, 'getlabs', () => ({ confirm: async ({ last }) => last }));
    await early.post(`/v3/order/${id}/test?final_status=requisition_created`);
    await service.settle();
    restore();
    await pass(MINUTE);
    expect(await eventsOf('phlebotomy', id, early)).toEqual(['reserved', 'scheduled']);
  });

  it.each(KINDS)('a reservation expires after 8 hours (%s)', async (kind) => {
    const { id } = await reserve(kind);
    await pass(7.9 * HOUR);
    expect((await visitOf(kind, id, early)).status).toBe('reserved');
    await pass(0.2 * HOUR);
    expect(await visitOf(kind, id, early)).toMatchObject({
      status: 'cancelled',
      event_data: { message: 'The requisition did not arrive in time' },
    });
    expect(await stepsOf(id, early)).toEqual(['ordered']);
  });

  it('a visit is confirmed, not expired, if the event of its requisition was missed', async () => {
    const { id } = await reserve('phlebotomy');
    // As if who attends to the order had come to no end.
    await service.ownerPool.query("update lab_order set step = 'requisition_created' where id = $1", [id]);
    await pass(9 * HOUR);
    expect((await visitOf('phlebotomy', id, early)).status).toBe('confirmed');
  });

  it('a reservation at a center expires for a cancelled order too', async () => {
    const { id } = await reserve('psc');
    await early.post(`/v3/order/${id}/cancel`);
    await pass(9 * HOUR);
    expect((await visitOf('psc', id, early)).status).toBe('cancelled');
  });

  it('a reservation of a scheduled order is kept until 2 hours before the visit', async () => {
    const { id, visit } = await reserve('psc', { activate_by: '2027-01-31' });
    await pass(10 * HOUR);
    expect((await visitOf('psc', id, early)).status).toBe('reserved');
    await passUntil(visit.start_at, -1.9 * HOUR);
    expect((await visitOf('psc', id, early)).status).toBe('cancelled');
  });

  it('a reservation expires after 8 hours once the day of its order is cleared', async () => {
    const { id } = await reserve('psc', { activate_by: '2027-01-31' });
    expect((await early.patch(`/v3/order/${id}`, { activate_by: null })).status).toBe(200);
    await service.settle();
    await pass(7.9 * HOUR);
    expect((await visitOf('psc', id, early)).status).toBe('reserved');
    await pass(0.2 * HOUR);
    expect((await visitOf('psc', id, early)).status).toBe('cancelled');
  });

  it('a visit has to begin late enough', async () => {
    const id = await orderFor(early, 'phlebotomy', { to: null });
    const [first] = await freeSlots(early, 'phlebotomy');
    service.clock.move(Date.parse(first?.start ?? '') - service.clock.now().getTime() - HOUR);
    const days = (await early.post('/v3/order/phlebotomy/appointment/availability', home)).json.slots;
    const answer = await bookAppointment(early, 'phlebotomy', id, { slot: days[0].slots[0] });
    expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('more than 2 hours')]);
  });
});

describe('an order that is cancelled', () => {
  it('cancels its visit at home, but not at a center', async () => {
    const ends: Record<AppointmentKind, string> = { phlebotomy: 'cancelled', psc: 'confirmed' };
    const told: string[] = [];
    const restores = KINDS.map((kind) =>
      overrideProvider(service, PROVIDER[kind], () => ({
        cancel: async ({ appointmentId, reason }) => void told.push(`${appointmentId} ${reason}`),
      })),
    );
    for (const kind of KINDS) {
      const id = await orderFor(team, kind);
      const slot = await lastSlot(kind);
      const { json } = await bookAppointment(team, kind, id, { slot });
      expect((await team.post(`/v3/order/${id}/cancel`)).status).toBe(200);
      await service.settle();
      expect((await visitOf(kind, id)).status).toBe(ends[kind]);
      expect((await stepsOf(id)).at(-1)).toBe('cancelled');
      const wanted = kind === 'phlebotomy' ? [`${json.id} The order was cancelled`] : [];
      expect(told.filter((text) => text.startsWith(json.id))).toEqual(wanted);
    }
    for (const restore of restores) restore();
  });
});

describe('an order that is simulated', () => {
  it('does not conflict with its appointment', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const slot = await lastSlot('phlebotomy');
    await bookAppointment(team, 'phlebotomy', id, { slot });
    expect((await team.post(`/v3/order/${id}/test`)).status).toBe(200);
    await service.settle();
    expect((await stepsOf(id)).at(-1)).toBe('completed');
    await passUntil((await visitOf('phlebotomy', id)).end_at, MINUTE);
    expect((await visitOf('phlebotomy', id)).status).toBe('completed');
    expect((await stepsOf(id)).at(-1)).toBe('completed');
  });
});
