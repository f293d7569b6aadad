import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../test/webhook-fixture.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  bookAppointment,
  orderFor,
  appointmentPath,
  freeSlot,
  freeSlots,
  overrideProvider,
  countAppointmentRows,
  type AppointmentKind,
} from '../../../test/appointments.ts';
import type { SlotBookingRequest } from '../../adapters/scheduling/port.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { SLOT_TAKEN } from './call-provider.ts';

const service = useTestService();
const team = useTestTeam(service);

const KINDS: AppointmentKind[] = ['psc', 'phlebotomy'];
const held = async (orderId: string) =>
  (
    await service.ownerPool.query(
      'select start_at from appointment_place where order_id = $1 and freed_at is null order by start_at',
      [orderId],
    )
  ).rows.map(({ start_at }) => start_at.getTime());
const moments = (...texts: string[]) => texts.map((text) => Date.parse(text));

/** An appointment, and two slots after it. */
async function booked(kind: AppointmentKind) {
  const id = await orderFor(team, kind);
  const [first, second, third] = (await freeSlots(team, kind)).slice(-3);
  if (!first || !second || !third) throw new Error('Not enough slots');
  const answer = await bookAppointment(team, kind, id, {
    slot: first,
    body: { appointment_notes: 'Ring twice' },
  });
  return { id, first, second, third, appointment: answer.json };
}

describe.each(KINDS)('rescheduling a visit (%s)', (kind) => {
  it('changes its time, keeps its notes and emits an event', async () => {
    const { id, second, third, appointment } = await booked(kind);
    const wishes: SlotBookingRequest[] = [];
    const restore = overrideProvider(service, kind === 'psc' ? 'quest' : 'getlabs', (own) => ({
      reschedule: async (wish) => {
        wishes.push(wish);
        return own.reschedule(wish);
      },
    }));
    const path = appointmentPath(kind, id, '/reschedule');
    const moved = await team.patch(path, { booking_key: second.booking_key });
    const again = await team.patch(path, { booking_key: third.booking_key, appointment_notes: 'Knock' });
    restore();
    expect(moved.status, moved.text).toBe(200);
    expect(moved.json).toMatchObject({
      id: appointment.id,
      status: 'confirmed',
      start_at: second.start,
      end_at: second.end,
      appointment_notes: 'Ring twice',
    });
    expect(moved.json.events.map(({ status }: { status: string }) => status)).toEqual([
      'scheduled',
      'scheduled',
    ]);
    expect(again.json).toMatchObject({ start_at: third.start, appointment_notes: 'Knock' });
    // How to come in goes to the provider with every booking.
    const notes = kind === 'phlebotomy' ? 'Gate code 1815' : null;
    expect(wishes.map(({ place }) => place.address.accessNotes)).toEqual([notes, notes]);
    expect(await held(id)).toEqual(moments(third.start));
    const steps = (await team.get(`/v3/order/${id}`)).json.events.map(({ status }: { status: string }) =>
      status.split('.').at(-1),
    );
    expect(steps.slice(-3)).toEqual(Array(3).fill('appointment_scheduled'));
  });

  it('keeps the old time if the new slot is taken', async () => {
    const { id, first, second, appointment } = await booked(kind);
    const restore = overrideProvider(service, kind === 'psc' ? 'quest' : 'getlabs', () => ({
      reschedule: async () => 'taken',
    }));
    const answer = await team.patch(appointmentPath(kind, id, '/reschedule'), {
      booking_key: second.booking_key,
    });
    restore();
    expect([answer.status, answer.json.detail]).toEqual([400, SLOT_TAKEN]);
    expect((await team.get(appointmentPath(kind, id))).json).toEqual(appointment);
    expect(await held(id)).toEqual(moments(first.start));
  });

  it('holds both places until the outcome is known', async () => {
    const { id, first, second, appointment } = await booked(kind);
    let isMoved = false;
    const restore = overrideProvider(service, kind === 'psc' ? 'quest' : 'getlabs', (own) => ({
      reschedule: async () => {
        throw new DomainError('unavailable', 'gone');
      },
      look: async ({ last, ...rest }) =>
        isMoved && last
          ? { ...last, startAt: new Date(second.start), endAt: new Date(second.end), said: 'Moved' }
          : own.look({ last, ...rest }),
    }));
    const answer = await team.patch(appointmentPath(kind, id, '/reschedule'), {
      booking_key: second.booking_key,
    });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '30']);
    expect((await team.get(appointmentPath(kind, id))).json).toMatchObject({
      start_at: appointment.start_at,
      can_reschedule: false,
    });
    expect(await held(id)).toEqual(moments(first.start, second.start));
    isMoved = true;
    service.clock.move(MINUTE);
    await service.settle();
    restore();
    expect((await team.get(appointmentPath(kind, id))).json).toMatchObject({
      start_at: second.start,
      can_reschedule: true,
    });
    expect(await held(id)).toEqual(moments(second.start));
  });

  it('releases the new place if the provider did not move it', async () => {
    const { id, first, second, appointment } = await booked(kind);
    const restore = overrideProvider(service, kind === 'psc' ? 'quest' : 'getlabs', () => ({
      reschedule: async () => {
        throw new DomainError('unavailable', 'gone');
      },
    }));
    await team.patch(appointmentPath(kind, id, '/reschedule'), { booking_key: second.booking_key });
    for (let look = 0; look < 5; look += 1) {
      service.clock.move(6 * MINUTE);
      await service.settle();
    }
    restore();
    expect(await held(id)).toEqual(moments(first.start));
    expect((await team.get(appointmentPath(kind, id))).json).toEqual(appointment);
  });

  it('is rejected for invalid keys and states, and stores nothing', async () => {
    const { id, first, second, appointment } = await booked(kind);
    const path = appointmentPath(kind, id, '/reschedule');
    const move = (key: string) => team.patch(path, { booking_key: key });
    const before = await countAppointmentRows(service, id);
    expect((await move(first.booking_key)).json.detail).toContain('already been used');
    // A slot with one place is not offered to us again.
    const same = (await freeSlots(team, kind)).find(({ start }) => start === first.start);
    const says = same ? 'at this time already' : 'is not valid';
    expect((await move(same?.booking_key ?? 'none')).json.detail).toContain(says);
    expect((await move('forged')).status).toBe(400);
    service.clock.move(31 * MINUTE);
    expect((await move(second.booking_key)).json.detail).toContain('has expired');
    expect(await countAppointmentRows(service, id)).toEqual(before);
    const none = await orderFor(team, kind);
    const fresh = await freeSlot(team, kind, 3);
    const missing = await team.patch(appointmentPath(kind, none, '/reschedule'), {
      booking_key: fresh.booking_key,
    });
    expect([missing.status, missing.json.detail]).toEqual([404, 'Appointment not found']);
    // An hour and a half before it begins it stands.
    service.clock.move(Date.parse(appointment.start_at) - service.clock.now().getTime() - 1.5 * HOUR);
    expect((await team.get(appointmentPath(kind, id))).json.can_reschedule).toBe(false);
    const late = await freeSlot(team, kind, 5);
    expect((await move(late.booking_key)).json.detail).toBe(
      'The appointment cannot be rescheduled: it begins in less than 2 hours',
    );
    expect(await countAppointmentRows(service, id)).toEqual(before);
  });
});

describe('a reschedule that failed', () => {
  const away = async () => {
    throw new DomainError('unavailable', 'gone');
  };
  const look = async () => {
    service.clock.move(2 * MINUTE);
    await service.settle();
  };
  const mover =
    (id: string, key: string, headers: Record<string, string> = {}) =>
    async () => {
      const answer = await team.patch(
        appointmentPath('psc', id, '/reschedule'),
        { booking_key: key },
        headers,
      );
      return [answer.status, answer.json.start_at];
    };

  it.each([
    ['with its idempotency key', { 'x-idempotency-key': 'moved once' }],
    ['without one', {}],
  ])('can be asked for again with the same booking key, %s', async (_name, headers) => {
    const { id, second } = await booked('psc');
    const move = mover(id, second.booking_key, headers);
    const restore = overrideProvider(service, 'quest', () => ({ reschedule: away }));
    expect((await move())[0]).toBe(503);
    for (let times = 0; times < 4; times += 1) await look();
    restore();
    expect(await move()).toEqual([200, second.start]);
    expect(await held(id)).toEqual(moments(second.start));
    expect((await mover(id, second.booking_key)())[0]).toBe(400);
  });

  it('is refused again if the refusal was not stored', async () => {
    const { id, second } = await booked('psc');
    const headers = { 'x-idempotency-key': `refused ${id}`, 'x-idempotency-error': 'no-cache' };
    const move = mover(id, second.booking_key, headers);
    const restore = overrideProvider(service, 'quest', () => ({ reschedule: async () => 'taken' }));
    expect([(await move())[0], (await move())[0]]).toEqual([400, 400]);
    restore();
    expect(await move()).toEqual([200, second.start]);
  });

  it('is not dropped while it is requested again', async () => {
    const { id, second } = await booked('psc');
    const move = mover(id, second.booking_key, { 'x-idempotency-key': `slow ${id}` });
    const restore = overrideProvider(service, 'quest', () => ({ reschedule: away }));
    expect((await move())[0]).toBe(503);
    for (let times = 0; times < 3; times += 1) await look();
    restore();
    const waiting: { looks: (() => void)[]; moves: (() => void)[] } = { looks: [], moves: [] };
    const restoreSlow = overrideProvider(service, 'quest', (own) => ({
      look: async (visit) => {
        await new Promise<void>((resolve) => waiting.looks.push(resolve));
        return own.look(visit);
      },
      reschedule: async (wish) => {
        await new Promise<void>((resolve) => waiting.moves.push(resolve));
        return own.reschedule(wish);
      },
    }));
    // The last look is under way when the team asks again, and finds nothing.
    service.clock.move(2 * MINUTE);
    await waitUntil(() => waiting.looks.length > 0);
    const moving = move();
    await waitUntil(() => waiting.moves.length > 0);
    waiting.looks[0]?.();
    await service.settle();
    waiting.moves[0]?.();
    expect(await moving).toEqual([200, second.start]);
    restoreSlow();
  });

  it('is resolved even if its provider was disconnected for a while', async () => {
    const { id, first, second } = await booked('psc');
    const restore = overrideProvider(service, 'quest', () => ({ reschedule: away }));
    expect((await mover(id, second.booking_key)())[0]).toBe(503);
    restore();
    const { sandbox } = service.app.schedulingProviders;
    const restoreIt = overrideProvider(service, 'quest', () => ({}));
    Object.assign(sandbox, { quest: undefined });
    await look();
    restoreIt();
    for (let times = 0; times < 4; times += 1) await look();
    expect(await held(id)).toEqual(moments(first.start));
  });
});

describe('cancelling during a reschedule', () => {
  it('cancels, releases both places and ignores a late answer', async () => {
    const { id, second } = await booked('psc');
    const answered: ((value: 'go') => void)[] = [];
    const restore = overrideProvider(service, 'quest', (own) => ({
      reschedule: async (wish) => {
        await new Promise((resolve) => answered.push(resolve));
        return own.reschedule(wish);
      },
    }));
    const moving = team.patch(appointmentPath('psc', id, '/reschedule'), { booking_key: second.booking_key });
    await waitUntil(() => answered.length > 0);
    const reasons = await team.get('/v3/order/psc/appointment/cancellation-reasons');
    const body = { cancellationReasonId: reasons.json[0].id };
    expect((await team.patch(appointmentPath('psc', id, '/cancel'), body)).status).toBe(200);
    answered[0]?.('go');
    const moved = await moving;
    restore();
    expect([moved.status, moved.json.status]).toEqual([200, 'cancelled']);
    expect(await held(id)).toEqual([]);
  });
});
