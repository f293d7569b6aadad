import { expect } from 'vitest';
import { pdfText } from '../pdf.ts';
import { expectSuccess, type Clinic } from './clinic.ts';

/** Every acknowledged laboratory message is stored, and every report in it is attached, resolved or pending. */
export async function expectReportsKept(clinic: Clinic): Promise<void> {
  const { team, service, laboratories } = clinic;
  let taken = 0;
  for (const { path, acknowledged } of laboratories) {
    const ids: { id: string; status: string }[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&next_cursor=${cursor}`;
      const { json } = expectSuccess(
        await team.management.get(`${path}/message?direction=in&limit=100${next}`),
      );
      ids.push(...json.data);
      cursor = json.next_cursor;
    } while (cursor !== null);
    // Erasing a user also erases the messages about the user's orders.
    expect(ids.length).toBeLessThanOrEqual(acknowledged.size);
    if (countDeletedUsers(clinic) === 0) expect(ids).toHaveLength(acknowledged.size);
    expect(ids.filter(({ status }) => status !== 'taken' && status !== 'dead')).toEqual([]);
    taken += ids.filter(({ status }) => status === 'taken').length;
  }
  const { rows } = await service.ownerPool.query<{
    status: string;
    order_id: string | null;
    version: number | null;
    message_id: string;
  }>('select status, order_id, version, message_id from incoming_result where team_id = $1', [
    team.tenant.teamId,
  ]);
  const messages = new Set(rows.map(({ message_id: id }) => id));
  clinic.trace.push(`reports: ${JSON.stringify(rows.map(({ status }) => status))}`);
  if (countDeletedUsers(clinic) === 0) expect(messages.size).toBe(taken);
  for (const { order_id: id, version } of rows) {
    if (id === null) continue;
    const { status } = await team.get(`/v3/order/${id}/result?version=${version}`);
    const isGone = (await team.get(`/v3/order/${id}`)).status === 404;
    expect([id, version, status]).toEqual([id, version, isGone ? 404 : 200]);
  }
  for (const id of [...clinic.orders.keys()].slice(-3)) await expectNewestEverywhere(clinic, id);
}

const countDeletedUsers = ({ users }: Clinic) => [...users.values()].filter(({ deleted }) => deleted).length;

/** Every version is readable, the newest is the default, and the PDF and FHIR have the same results. */
async function expectNewestEverywhere({ team, service }: Clinic, id: string): Promise<void> {
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
  const pdf = await service.http.server.inject({
    method: 'GET',
    url: `${path}/pdf`,
    headers: { 'x-service-api-key': team.key },
  });
  const printed = pdfText(pdf.rawPayload);
  const fhir = expectSuccess(await team.get(`${path}/fhir`)).text;
  for (const { type, result } of newest.json.results as { type: string; result: string }[]) {
    if (type !== 'numeric') continue;
    expect([id, printed.includes(result), result]).toEqual([id, true, result]);
    expect([id, fhir.includes(result), result]).toEqual([id, true, result]);
  }
}
