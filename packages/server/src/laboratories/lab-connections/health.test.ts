import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import type { TestTeam } from '../../../test/service.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';

const service = useTestService();
let line: TestMllpListeners;
beforeAll(async () => {
  line = await openMllpListeners(service.app);
});
afterAll(() => line.stop());

const healthOf = async (team: TestTeam, { path }: TestLabConnection) => {
  const root = path.slice(0, path.lastIndexOf('/'));
  const answer = await team.management.get(`${root}_health`);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.find(
    ({ lab_connection_id: id }: { lab_connection_id: string }) => id === path.split('/').at(-1),
  );
};
const setMessages = (team: TestTeam, set: string, values: unknown[] = []) =>
  service.ownerPool.query(`update lab_message set ${set} where team_id = $1`, [
    team.tenant.teamId,
    ...values,
  ]);

describe('the health of a connection', () => {
  it('goes from unused over healthy to failing, and the error ends after a day', async () => {
    const team = await service.team();
    const connection = await connectLab(team);
    expect(await healthOf(team, connection)).toMatchObject({
      state: 'unused',
      last_in_at: null,
      dead: 0,
      waiting: 0,
      certificate_ends_at: null,
    });
    await sendLabMessage({ line, connection }, resultText(connection));
    await service.settle();
    const healthy = await healthOf(team, connection);
    expect(healthy).toMatchObject({ state: 'healthy', errors_last_day: 0, last_out_at: null, waiting: 0 });
    expect(Date.parse(healthy.last_in_at)).toBe(service.clock.now().getTime());
    await setMessages(team, `status = 'dead'`);
    expect(await healthOf(team, connection)).toMatchObject({ state: 'failing', errors_last_day: 1, dead: 1 });
    await setMessages(team, 'created_at = $2', [later(service.clock.now(), -2 * DAY)]);
    expect(await healthOf(team, connection)).toMatchObject({ state: 'healthy', errors_last_day: 0, dead: 1 });
    await team.management.patch(connection.path, { enabled: false });
    expect(await healthOf(team, connection)).toMatchObject({ state: 'disabled' });
  });

  it('says that a message has waited for long', async () => {
    const team = await service.team();
    const connection = await connectLab(team);
    await sendLabMessage({ line, connection }, resultText(connection));
    await service.settle();
    const since = later(service.clock.now(), -20 * MINUTE);
    await setMessages(team, `status = 'stored', due_at = $2, created_at = $3`, [
      later(service.clock.now(), DAY),
      since,
    ]);
    const delayed = await healthOf(team, connection);
    expect(delayed).toMatchObject({ state: 'delayed', waiting: 1 });
    expect(Date.parse(delayed.oldest_waiting_at)).toBe(since.getTime());
  });

  it('counts nothing of another connection and of another team', async () => {
    const [team, other] = [await service.team(), await service.team()];
    const [busy, quiet] = [await connectLab(team), await connectLab(team)];
    await sendLabMessage({ line, connection: busy }, resultText(busy));
    await service.settle();
    expect(await healthOf(team, quiet)).toMatchObject({ state: 'unused' });
    const foreign = await connectLab(other);
    expect(await healthOf(other, foreign)).toMatchObject({ state: 'unused' });
    const path = `${busy.path.slice(0, busy.path.lastIndexOf('/'))}_health`;
    expect((await other.management.get(path)).status).toBe(404);
  });
});
