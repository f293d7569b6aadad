import { describe, expect, it } from 'vitest';
import { appointmentPath, bookAppointment, freeSlots, orderFor } from '../../../test/appointments.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';

const service = useTestService();

interface Listed {
  id: string;
  order_id: string;
  start_at: string | null;
  status: string;
}

async function list(team: TestTeam, query = ''): Promise<{ data: Listed[]; next_cursor: string | null }> {
  const { status, json, text } = await team.get(`/v1/appointments${query}`);
  expect(status, text).toBe(200);
  return json;
}

const idsOf = ({ data }: { data: Listed[] }) => data.map(({ id }) => id);

/** Three visits with a time, the latest booked first, one of them cancelled, and one without a time. */
async function teamWithVisits() {
  const team = await service.team();
  const slots = await freeSlots(team, 'phlebotomy');
  const booked: Listed[] = [];
  for (const slot of [slots[9], slots[4], slots[0]]) {
    const orderId = await orderFor(team, 'phlebotomy');
    const { json, text, status } = await bookAppointment(team, 'phlebotomy', orderId, { slot });
    expect(status, text).toBe(200);
    booked.push(json);
  }
  const last = booked[0];
  const reasons = await team.get('/v3/order/phlebotomy/appointment/cancellation-reasons');
  await team.patch(appointmentPath('phlebotomy', last?.order_id ?? '', '/cancel'), {
    cancellation_reason_id: reasons.json[0].id,
  });
  const orderId = await orderFor(team, 'phlebotomy');
  const requested = await team.post(appointmentPath('phlebotomy', orderId, '/request'), {
    address: { first_line: '548 Market Street', city: 'San Francisco', state: 'CA', zip_code: '94104' },
    provider: 'phlebfinders',
  });
  expect(requested.status, requested.text).toBe(200);
  const waiting = requested.json;
  expect(waiting.start_at).toBeNull();
  const byStart = booked.toReversed();
  return { team, byStart, waiting, all: [...byStart, waiting] };
}

describe('the list of appointments', () => {
  it('is in the order of their starts, with the patient and the place, those without a time last', async () => {
    const { team, byStart, all } = await teamWithVisits();
    const page = await list(team);
    expect(idsOf(page)).toEqual(all.map(({ id }) => id));
    expect(page.next_cursor).toBeNull();
    expect(page.data[0]).toEqual({
      id: byStart[0]?.id,
      order_id: byStart[0]?.order_id,
      user_id: expect.any(String),
      patient_first_name: 'Ada',
      patient_last_name: 'Lovelace',
      type: 'phlebotomy',
      status: 'confirmed',
      start_at: byStart[0]?.start_at,
      end_at: expect.any(String),
      iana_timezone: 'America/Los_Angeles',
      place: { name: expect.any(String), city: expect.any(String), state: 'CA', zip_code: '94104' },
      provider: 'getlabs',
      can_reschedule: true,
    });
    expect(page.data.map(({ status }) => status)).toEqual(['confirmed', 'confirmed', 'cancelled', 'pending']);
  });

  it('has every appointment once in pages of any size, across the ones without a time', async () => {
    const { team, all } = await teamWithVisits();
    const ids = all.map(({ id }) => id);
    for (const limit of [1, 2, 3, 4]) {
      const seen: string[] = [];
      let query = `?limit=${limit}`;
      for (;;) {
        const page = await list(team, query);
        expect(page.data.length).toBeLessThanOrEqual(limit);
        seen.push(...idsOf(page));
        if (page.next_cursor === null) break;
        query = `?limit=${limit}&next_cursor=${page.next_cursor}`;
      }
      expect(seen).toEqual(ids);
    }
    expect((await team.get('/v1/appointments?next_cursor=bm9wZQ')).status).toBe(422);
  });

  it('is filtered by time, type, status and whether there is a time', async () => {
    const { team, byStart, waiting } = await teamWithVisits();
    const [first, second, third] = byStart;
    const [from, to] = [second, third].map((visit) => encodeURIComponent(visit?.start_at ?? ''));
    expect(idsOf(await list(team, `?from=${from}&to=${to}`))).toEqual([second?.id]);
    expect(idsOf(await list(team, `?from=${from}`))).toEqual([second?.id, third?.id]);
    expect(idsOf(await list(team, '?has_time=false'))).toEqual([waiting.id]);
    expect(idsOf(await list(team, '?has_time=true&limit=1'))).toEqual([first?.id]);
    expect(idsOf(await list(team, '?status=cancelled&status=pending'))).toEqual([third?.id, waiting.id]);
    expect(idsOf(await list(team, '?type=patient_service_center'))).toEqual([]);
  });

  it('has no appointments of another team, nor of deleted users', async () => {
    const { team, byStart, all } = await teamWithVisits();
    expect(idsOf(await list(await service.team()))).toEqual([]);
    const { json } = await team.get(`/v3/order/${byStart[0]?.order_id}`);
    expect((await team.delete(`/v2/user/${json.user_id}`)).status).toBe(200);
    const left = idsOf(await list(team));
    expect(left).toEqual(all.map(({ id }) => id).filter((id) => id !== byStart[0]?.id));
  });
});
