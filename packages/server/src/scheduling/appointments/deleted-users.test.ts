import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { countLockWaiters } from '../../../test/locks.ts';
import {
  bookAppointment,
  home,
  orderFor,
  appointmentPath,
  freeSlot,
  freeSlots,
  overrideProvider,
  type AppointmentKind,
} from '../../../test/appointments.ts';
import { DAY, HOUR, MINUTE } from '../../platform/clock.ts';
import { DomainError, type ErrorKind } from '../../platform/errors.ts';

const service = useTestService();
const team = useTestTeam(service);

const KINDS: AppointmentKind[] = ['psc', 'phlebotomy'];
const PROVIDER = { psc: 'quest', phlebotomy: 'getlabs' } as const;
const pass = async (ms: number) => {
  service.clock.move(ms);
  await service.settle();
};
const visitOf = async (kind: AppointmentKind, id: string) => (await team.get(appointmentPath(kind, id))).json;
const restoreUser = (userId: string) => team.post(`/v2/user/undo_delete?user_id=${userId}`);

const findActive = async (userId: string) =>
  (
    await service.ownerPool.query("select id from appointment where user_id = $1 and status <> 'cancelled'", [
      userId,
    ])
  ).rows;

/** An appointment at the last of the slots, after the grace period of a deletion; and the slot before it. */
async function booked(kind: AppointmentKind) {
  const id = await orderFor(team, kind);
  const [before, last] = (await freeSlots(team, kind)).slice(-2);
  if (!before || !last) throw new Error('Not enough slots');
  const { json: visit } = await bookAppointment(team, kind, id, { slot: last });
  return { id, visit, before };
}

/** Says no so often to these visits, each time as it is told to, before it cancels. */
function canceller(kind: AppointmentKind, visits: readonly string[], ...noes: ErrorKind[]) {
  const asked: string[] = [];
  const restore = overrideProvider(service, PROVIDER[kind], (own) => ({
    cancel: async (visit) => {
      const { appointmentId } = visit;
      // Others may be called off in the same hours.
      if (!visits.includes(appointmentId)) return own.cancel(visit);
      asked.push(appointmentId);
      const no = noes.shift();
      if (no) throw new DomainError(no, 'no');
    },
  }));
  return { asked, restore };
}

describe('the visit of a user who is deleted', () => {
  it.each(KINDS)('is cancelled at once if it would take place before the erasure (%s)', async (kind) => {
    const id = await orderFor(team, kind);
    const { json: visit } = await bookAppointment(team, kind, id);
    const { asked, restore } = canceller(kind, [visit.id], 'unavailable');
    await team.delete(`/v2/user/${visit.user_id}`);
    await service.settle();
    await pass(HOUR);
    restore();
    expect(asked.slice(0, 2)).toEqual([visit.id, visit.id]);
    await restoreUser(visit.user_id);
    const called = await visitOf(kind, id);
    expect(called.events.at(-1)).toMatchObject({
      status: 'cancelled',
      data: { cancellation_reason: 'The patient was deleted' },
    });
    const { last_event: last } = (await team.get(`/v3/order/${id}`)).json;
    expect(last.status).toMatch(/\.appointment_cancelled$/);
    expect((await bookAppointment(team, kind, id)).json).toMatchObject({ status: 'confirmed' });
  });

  it.each(KINDS)('is cancelled if it is being booked concurrently (%s)', async (kind) => {
    const id = await orderFor(team, kind);
    const { user_id: userId } = (await team.get(`/v3/order/${id}`)).json;
    const slot = await freeSlot(team, kind);
    const booked: string[] = [];
    const cancelled: string[] = [];
    const restore = overrideProvider(service, PROVIDER[kind], (own) => ({
      book: async (wish) => {
        booked.push(wish.appointmentId);
        return own.book(wish);
      },
      cancel: async ({ appointmentId }) => {
        if (booked.includes(appointmentId)) cancelled.push(appointmentId);
      },
    }));
    // Nobody else waits for that table then.
    await service.settle();
    const holding = new pg.Client(service.ownerPool.options);
    await holding.connect();
    await holding.query('begin; lock table appointment_place');
    const booking = bookAppointment(team, kind, id, { slot });
    await expect.poll(() => countLockWaiters(service, '%appointment_place%')).toBe(1);
    let isDeleted = false;
    const deleting = team.delete(`/v2/user/${userId}`).then(() => (isDeleted = true));
    await expect
      .poll(async () => isDeleted || (await countLockWaiters(service, '%app_user%')) > 0)
      .toBe(true);
    await holding.query('rollback');
    await holding.end();
    await Promise.all([booking, deleting]);
    for (let minutes = 0; minutes < 5; minutes += 1) await pass(MINUTE);
    restore();
    expect(new Set(cancelled)).toEqual(new Set(booked));
    expect(await findActive(userId)).toEqual([]);
  });

  it('is cancelled if its provider has not set a time yet', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const body = { address: home, provider: 'phlebfinders' };
    const { json: visit } = await team.post(appointmentPath('phlebotomy', id, '/request'), body);
    expect(visit).toMatchObject({ status: 'pending', start_at: null });
    const { user_id: userId } = (await team.get(`/v3/order/${id}`)).json;
    await team.delete(`/v2/user/${userId}`);
    await pass(DAY);
    await restoreUser(userId);
    expect((await visitOf('phlebotomy', id)).status).toBe('cancelled');
  });

  it('is kept if it is later, or in progress', async () => {
    const later = await booked('phlebotomy');
    const visits = [later.visit.id];
    const { asked, restore } = canceller('phlebotomy', visits);
    await team.delete(`/v2/user/${later.visit.user_id}`);
    await service.settle();
    await restoreUser(later.visit.user_id);
    expect((await visitOf('phlebotomy', later.id)).status).toBe('confirmed');

    const id = await orderFor(team, 'phlebotomy');
    const { json: visit } = await bookAppointment(team, 'phlebotomy', id);
    visits.push(visit.id);
    await pass(Date.parse(visit.start_at) - service.clock.now().getTime());
    await team.delete(`/v2/user/${visit.user_id}`);
    await service.settle();
    await restoreUser(visit.user_id);
    restore();
    expect((await visitOf('phlebotomy', id)).status).toBe('in_progress');
    expect(asked).toEqual([]);
  });
});

describe('the visit of a user who is erased', () => {
  it.each(KINDS)('is cancelled, with retries if the provider is unreachable (%s)', async (kind) => {
    const { visit } = await booked(kind);
    const { asked, restore } = canceller(kind, [visit.id], 'unavailable', 'too_many');
    await team.delete(`/v2/user/${visit.user_id}`);
    await pass(7 * DAY);
    const { rows } = await service.ownerPool.query('select 1 from appointment where id = $1', [visit.id]);
    expect(rows).toEqual([]);
    for (let times = 0; times < 4; times += 1) await pass(HOUR);
    restore();
    expect(asked).toEqual(Array(3).fill(visit.id));
  });

  it('is cancelled even if its cancellation was still pending', async () => {
    const { id, visit } = await booked('phlebotomy');
    const { asked, restore } = canceller(
      'phlebotomy',
      [visit.id],
      ...Array<ErrorKind>(3).fill('unavailable'),
    );
    expect((await team.post(`/v3/order/${id}/cancel`)).status).toBe(200);
    await service.settle();
    await team.delete(`/v2/user/${visit.user_id}`);
    // Nobody else goes on telling it.
    await service.ownerPool.query('delete from timer where key = $1', [visit.id]);
    await pass(7 * DAY);
    for (let times = 0; times < 4; times += 1) await pass(HOUR);
    restore();
    expect(asked).toEqual(Array(4).fill(visit.id));
  });

  it('is kept if the provider refuses', async () => {
    const { visit } = await booked('phlebotomy');
    const { asked, restore } = canceller('phlebotomy', [visit.id], 'bad_request');
    await team.delete(`/v2/user/${visit.user_id}`);
    await pass(7 * DAY);
    await pass(DAY);
    restore();
    expect(asked).toEqual([visit.id]);
  });

  it('is not cancelled after its end time', async () => {
    const id = await orderFor(team, 'phlebotomy');
    const { json: visit } = await bookAppointment(team, 'phlebotomy', id);
    await pass(Date.parse(visit.end_at) - service.clock.now().getTime());
    expect((await visitOf('phlebotomy', id)).status).toBe('completed');
    const { asked, restore } = canceller('phlebotomy', [visit.id]);
    await team.delete(`/v2/user/${visit.user_id}`);
    await pass(7 * DAY);
    restore();
    expect(asked).toEqual([]);
  });
});

describe('while a user is deleted', () => {
  it('a reschedule with unknown outcome is resolved after the user is restored', async () => {
    const { id, visit, before } = await booked('phlebotomy');
    const restore = overrideProvider(service, 'getlabs', (own) => ({
      reschedule: async () => {
        throw new DomainError('unavailable', 'gone');
      },
      look: async ({ last, ...rest }) =>
        last
          ? { ...last, startAt: new Date(before.start), endAt: new Date(before.end) }
          : own.look({ last, ...rest }),
    }));
    const move = { booking_key: before.booking_key };
    expect((await team.patch(appointmentPath('phlebotomy', id, '/reschedule'), move)).status).toBe(503);
    await team.delete(`/v2/user/${visit.user_id}`);
    await pass(MINUTE);
    await restoreUser(visit.user_id);
    await pass(MINUTE);
    restore();
    expect(await visitOf('phlebotomy', id)).toMatchObject({
      start_at: before.start,
      can_reschedule: true,
    });
  });

  it('the provider is called again after the user is restored', async () => {
    const id = await orderFor(team, 'psc');
    const { user_id: userId } = (await team.get(`/v3/order/${id}`)).json;
    const slot = (await freeSlots(team, 'psc')).at(-1);
    let calls = 0;
    const restore = overrideProvider(service, 'quest', (own) => ({
      book: async (wish) => {
        calls += 1;
        if (calls === 1) throw new DomainError('unavailable', 'gone');
        if (calls === 2) await team.delete(`/v2/user/${userId}`);
        return own.book(wish);
      },
    }));
    const body = { async_confirmation: true, sync_confirmation_timeout_millisecond: 1000 };
    expect((await bookAppointment(team, 'psc', id, { slot, body })).json.status).toBe('pending');
    await pass(MINUTE);
    expect(calls).toBe(2);
    await restoreUser(userId);
    await pass(MINUTE);
    restore();
    expect((await visitOf('psc', id)).status).toBe('confirmed');
  });

  it('an expired reservation is cancelled after the user is restored', async () => {
    const early = await service.team();
    const path = `/v1/org/${early.orgId}/team/${early.tenant.teamId}`;
    await early.management.patch(path, { sandbox: { booking_before_requisition_enabled: true } });
    const id = await orderFor(early, 'phlebotomy', { to: null });
    const slot = (await freeSlots(early, 'phlebotomy')).at(-1);
    const { json: visit } = await bookAppointment(early, 'phlebotomy', id, { slot });
    expect(visit.status).toBe('reserved');
    await early.delete(`/v2/user/${visit.user_id}`);
    await pass(9 * HOUR);
    await early.post(`/v2/user/undo_delete?user_id=${visit.user_id}`);
    await pass(HOUR);
    expect((await early.get(appointmentPath('phlebotomy', id))).json).toMatchObject({
      status: 'cancelled',
      event_data: { message: 'The requisition did not arrive in time' },
    });
  });
});
