import { expect } from 'vitest';
import { textOf } from '../pdf.ts';
import { good, type Clinic } from './clinic.ts';

/** Every message that a laboratory was told is kept is there, and every report in it is attached, decided or waits. */
export async function reportsAreKept(clinic: Clinic): Promise<void> {
  const { team, house, laboratories } = clinic;
  let taken = 0;
  for (const { path, kept } of laboratories) {
    const ids: { id: string; status: string }[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&next_cursor=${cursor}`;
      const { json } = good(await team.management.get(`${path}/message?direction=in&limit=100${next}`));
      ids.push(...json.data);
      cursor = json.next_cursor;
    } while (cursor !== null);
    // A message about an order goes with the user of the order, when the user is erased.
    expect(ids.length).toBeLessThanOrEqual(kept.size);
    if (mayBeErased(clinic) === 0) expect(ids).toHaveLength(kept.size);
    expect(ids.filter(({ status }) => status !== 'taken' && status !== 'dead')).toEqual([]);
    taken += ids.filter(({ status }) => status === 'taken').length;
  }
  const { rows } = await house.owner.query<{
    status: string;
    order_id: string | null;
    version: number | null;
    message_id: string;
  }>('select status, order_id, version, message_id from incoming_result where team_id = $1', [
    team.tenant.teamId,
  ]);
  const messages = new Set(rows.map(({ message_id: id }) => id));
  clinic.diary.push(`reports: ${JSON.stringify(rows.map(({ status }) => status))}`);
  if (mayBeErased(clinic) === 0) expect(messages.size).toBe(taken);
  for (const { order_id: id, version } of rows) {
    if (id === null) continue;
    const { status } = await team.get(`/v3/order/${id}/result?version=${version}`);
    const isGone = (await team.get(`/v3/order/${id}`)).status === 404;
    expect([id, version, status]).toEqual([id, version, isGone ? 404 : 200]);
  }
  for (const id of [...clinic.orders.keys()].slice(-3)) await newestIsEverywhere(clinic, id);
}

const mayBeErased = ({ people }: Clinic) => [...people.values()].filter(({ deleted }) => deleted).length;

/** Every version can be read, the newest is what is read without one, and the PDF and FHIR say what it says. */
async function newestIsEverywhere({ team, house }: Clinic, id: string): Promise<void> {
  const path = `/v3/order/${id}/result`;
  const newest = await team.get(path);
  if (newest.status !== 200) return;
  let version = 1;
  for (; (await team.get(`${path}/metadata?version=${version + 1}`)).status === 200;) version += 1;
  for (let one = 1; one < version; one += 1) {
    expect([id, one, (await team.get(`${path}?version=${one}`)).status]).toEqual([id, one, 200]);
  }
  expect((await team.get(`${path}?version=${version}`)).text).toBe(newest.text);
  expect((await team.get(`${path}/metadata`)).json).toEqual(newest.json.metadata);
  const pdf = await house.http.server.inject({
    method: 'GET',
    url: `${path}/pdf`,
    headers: { 'x-service-api-key': team.key },
  });
  const printed = textOf(pdf.rawPayload);
  const fhir = good(await team.get(`${path}/fhir`)).text;
  for (const { type, result } of newest.json.results as { type: string; result: string }[]) {
    if (type !== 'numeric') continue;
    expect([id, printed.includes(result), result]).toEqual([id, true, result]);
    expect([id, fhir.includes(result), result]).toEqual([id, true, result]);
  }
}
