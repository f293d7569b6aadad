import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import {
  bookAppointment,
  orderFor,
  appointmentPath,
  freeSlot,
  freeSlots,
} from '../../../test/appointments.ts';

const service = useTestService();
const team = useTestTeam(service);

const read = async (id: string, kind: 'psc' | 'phlebotomy' = 'psc') => {
  const answer = await team.get(appointmentPath(kind, id), { accept: 'text/calendar' });
  expect(answer.status, answer.text).toBe(200);
  const calendar = new ICAL.Component(ICAL.parse(answer.text));
  const [component, ...rest] = calendar.getAllSubcomponents('vevent');
  if (!component) throw new Error('No event');
  expect(rest).toEqual([]);
  return { answer, calendar, component, event: new ICAL.Event(component) };
};

describe('the calendar file of an appointment', () => {
  it('has one event at its time and place', async () => {
    const id = await orderFor(team, 'psc');
    const body = { appointment_notes: 'Bring: the form; two pens,\nand water' };
    const { json } = await bookAppointment(team, 'psc', id, { body });
    const { answer, calendar, component, event } = await read(id);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/calendar/),
      'content-disposition': `inline; filename="appointment-${json.id}.ics"`,
      vary: 'accept',
    });
    expect(calendar.getFirstPropertyValue('version')).toBe('2.0');
    expect(calendar.getFirstPropertyValue('method')).toBe('PUBLISH');
    expect(event.uid).toBe(json.id);
    expect(event.startDate.toJSDate().getTime()).toBe(Date.parse(json.start_at));
    expect(event.endDate.toJSDate().getTime()).toBe(Date.parse(json.end_at));
    expect(event.startDate.zone.tzid).toBe('UTC');
    expect(event.location).toContain(json.address.first_line);
    expect(event.description).toBe(body.appointment_notes);
    expect(component.getFirstPropertyValue('status')).toBe('CONFIRMED');
    expect(component.getFirstPropertyValue('dtstamp')).not.toBeNull();
    for (const line of answer.text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  });

  it('keeps its UID and increments the sequence after a change', async () => {
    const id = await orderFor(team, 'phlebotomy');
    await bookAppointment(team, 'phlebotomy', id, { slot: await freeSlot(team, 'phlebotomy', 3) });
    const first = await read(id, 'phlebotomy');
    const other = (await freeSlots(team, 'phlebotomy')).at(-1);
    await team.patch(appointmentPath('phlebotomy', id, '/reschedule'), { booking_key: other?.booking_key });
    const moved = await read(id, 'phlebotomy');
    const reasons = await team.get('/v3/order/phlebotomy/appointment/cancellation-reasons');
    await team.patch(appointmentPath('phlebotomy', id, '/cancel'), {
      cancellation_reason_id: reasons.json[0].id,
    });
    const cancelled = await read(id, 'phlebotomy');
    expect([first, moved, cancelled].map(({ event }) => event.sequence)).toEqual([0, 1, 2]);
    expect(new Set([first, moved, cancelled].map(({ event }) => event.uid)).size).toBe(1);
    expect(moved.event.startDate.toJSDate().toISOString()).toBe(new Date(other?.start ?? '').toISOString());
    expect(cancelled.component.getFirstPropertyValue('status')).toBe('CANCELLED');
  });

  it('is returned only with Accept: text/calendar', async () => {
    const id = await orderFor(team, 'psc');
    await bookAppointment(team, 'psc', id);
    // prettier-ignore
    const rows: [string, RegExp][] = [
      ['application/json',                          /json/],
      ['*/*',                                       /json/],
      ['text/calendar;q=0.5, application/json',     /json/],
      ['text/calendar, application/json;q=0.9',     /calendar/],
      ['text/*',                                    /calendar/],
      ['image/png',                                 /json/],
    ];
    for (const [accept, type] of rows) {
      const answer = await team.get(appointmentPath('psc', id), { accept });
      expect([accept, answer.headers['content-type']]).toEqual([accept, expect.stringMatching(type)]);
    }
    const stranger = await service.team();
    const refused = await stranger.get(appointmentPath('psc', id), { accept: 'text/calendar' });
    expect([refused.status, refused.json]).toEqual([404, { detail: 'Order not found' }]);
  });
});
