import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  connectLab,
  openMllpListeners,
  resultText,
  sendLabMessage,
  sendRaw,
  sendToPort,
  wrapFrame,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import type { TestTeam } from '../../../test/service.ts';
import { useTestService } from '../../../test/service-hooks.ts';
import {
  claimMessage,
  freeListenerPort,
  listListenerIdentities,
  listUnprocessedMessages,
  shareListener,
  unshareListener,
} from './lab-connections.ts';

const service = useTestService({ LAB_MLLP_PORT: '2575' });

let line: TestMllpListeners;
let owner: TestTeam;
let other: TestTeam;
beforeEach(async () => {
  line = await openMllpListeners(service.app);
  [owner, other] = [await service.team('production'), await service.team('production')];
});
afterEach(() => line.stop());

/** Another worker, which has nothing in its caches, as after a restart. */
async function restart(): Promise<void> {
  await line.stop();
  line = await openMllpListeners(service.app);
}

type Names = Pick<TestLabConnection, 'lab_facility' | 'our_facility'>;
const namesOf = ({ lab_facility, our_facility }: Names) => ({ lab_facility, our_facility });
const messages = async (team: TestTeam, { path }: TestLabConnection) =>
  (await team.management.get(`${path}/message`)).json.data;
/** Also for a deleted connection. */
const countStored = async ({ id }: TestLabConnection): Promise<number> =>
  (await service.ownerPool.query('select count(*)::int as n from lab_message where connection_id = $1', [id]))
    .rows[0].n;
const unclaimed = async (connection: TestLabConnection | { id: null }) =>
  (await listUnprocessedMessages(service.app, { limit: 1000, before: undefined })).filter(
    ({ kind, connectionId }) => kind === 'unclaimed' && connectionId === connection.id,
  );
const read = async (team: TestTeam, { path }: TestLabConnection) => (await team.management.get(path)).json;

/** Ways in which another organization tries to get the results of a connection. */
// prettier-ignore
const attacks: [string, (victim: TestLabConnection) => Promise<void>][] = [
  ['has the same names',                     async () => {}],
  ['has the names of a deleted connection',  async (victim) => void (await owner.management.delete(victim.path))],
  ['has the names of a disabled connection', async (victim) => void (await owner.management.patch(victim.path, { enabled: false }))],
  ['has names that were changed since',      async (victim) => void (await owner.management.patch(victim.path, { lab_facility: 'NEW' }))],
];

describe('a message of a laboratory', () => {
  describe.each(['own', 'shared'] as const)('to its %s port', (kind) => {
    it.each(attacks)('never reaches another organization, whose connection %s', async (_how, release) => {
      const victim = await connectLab(owner);
      if (kind === 'shared') await shareListener(service.app, victim.id);
      const port = kind === 'own' ? await line.portOf(victim) : line.sharedPort;
      expect(await sendToPort(port, resultText(victim))).toMatchObject({ code: 'AA' });
      await release(victim);
      const thief = await connectLab(other, namesOf(victim));
      expect(thief).toMatchObject(namesOf(victim));
      await restart();
      const next = kind === 'own' ? await line.portOf(victim) : line.sharedPort;
      await sendToPort(next, resultText(victim, { id: 'M2' }), 'M2');
      await service.settle();
      expect(await messages(other, thief)).toEqual([]);
      expect((await countStored(victim)) + (await unclaimed(victim)).length).toBe(2);
    });
  });

  it('reaches only its own connection if two organizations use the same names', async () => {
    const both = [await connectLab(owner), await connectLab(other, { lab_facility: 'X' })] as const;
    await owner.management.patch(both[0].path, { lab_facility: 'X', our_facility: both[1].our_facility });
    const text = resultText({ lab_facility: 'X', our_facility: both[1].our_facility });
    await Promise.all(
      both.map((connection, n) =>
        sendLabMessage({ line, connection }, text.replace('|M1|', `|N${n}|`), `N${n}`),
      ),
    );
    const kept = await Promise.all([messages(owner, both[0]), messages(other, both[1])]);
    expect(kept.map((list) => list.map((one: { control_id: string }) => one.control_id))).toEqual([
      ['N0'],
      ['N1'],
    ]);
  });

  // prettier-ignore
  it.each<[string, object, (text: string) => string, RegExp]>([
    ['comes with other names',      {},                                      (text) => text.replace('|LIS|', '|OTHER|'), /MSH-3 to MSH-6 are not those/],
    ['has no MSH',                  {},                                      () => 'GET / HTTP/1.1\r\r',                 /does not begin with MSH/],
    ['comes without a certificate', { client_fingerprint: Array.from({ length: 32 }, () => 'AB').join(':') }, (text) => text, /another client certificate/],
    ['comes to a disabled one',     { enabled: false },                      (text) => text,                             /is disabled/],
  ])('that %s is refused with a reason, and kept for the operator alone', async (_what, change, alter, reason) => {
    const connection = await connectLab(owner, change);
    const port = await line.portOf(connection);
    const answer = await sendRaw(port, wrapFrame(Buffer.from(alter(resultText(connection)))), 1);
    expect(answer).toMatch(/MSA\|AR/);
    expect(answer).toMatch(reason);
    expect(answer).not.toContain(connection.lab_facility + connection.our_facility);
    expect(await messages(owner, connection)).toEqual([]);
    expect(await unclaimed(connection)).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  });

  it('may come with any names if the connection does not check them', async () => {
    const connection = await connectLab(owner, { checks_parties: false });
    const text = resultText(connection).replace('|LIS|', '|ANY SITE|');
    expect(await sendLabMessage({ line, connection }, text)).toMatchObject({ code: 'AA' });
    expect(await messages(owner, connection)).toHaveLength(1);
  });

  it('to the shared port is refused unless the operator has put the connection there', async () => {
    const connection = await connectLab(owner);
    const before = (await unclaimed({ id: null })).length;
    expect(await sendToPort(line.sharedPort, resultText(connection))).toMatchObject({ code: 'AR' });
    expect(await unclaimed({ id: null })).toHaveLength(before + 1);
    expect(await messages(owner, connection)).toEqual([]);
  });
});

describe('the port of a connection', () => {
  it('is given to one connection, even by many concurrent requests', async () => {
    const small = { LAB_MLLP_PORTS: '9000-9011' };
    const config = { ...service.app.config };
    Object.assign(service.app.config, small);
    const teams = await Promise.all(Array.from({ length: 12 }, () => service.team('production')));
    const made = await Promise.all(teams.map((team) => connectLab(team)));
    const late = await connectLab(owner).catch((error: unknown) => String(error));
    Object.assign(service.app.config, config);
    expect(new Set(made.map(({ listener_port }) => listener_port)).size).toBe(12);
    expect(late).toContain('No port for another laboratory is left');
  });

  it('is of the range of its environment', async () => {
    const sandbox = await connectLab(await service.team('sandbox'));
    const production = await connectLab(owner);
    expect(sandbox.listener_port).toBeGreaterThanOrEqual(20_000);
    expect(production.listener_port).toBeLessThan(20_000);
  });

  it('stays closed outside the range of its environment', async () => {
    const connection = await connectLab(owner);
    await line.stop();
    line = await openMllpListeners(service.app, { LAB_MLLP_PORTS: '9000-9001' });
    await expect(line.portOf(connection)).rejects.toThrow('has no listener');
  });

  it('cannot be chosen', async () => {
    const known = await connectLab(owner);
    const made = await connectLab(other, { listener_port: known.listener_port });
    expect(made.listener_port).not.toBe(known.listener_port);
    await other.management.patch(made.path, { listener_port: known.listener_port, shared_listener: true });
    expect(await read(other, made)).toMatchObject({
      listener_port: made.listener_port,
      shared_listener: false,
    });
  });

  it('is not taken again after a deletion, until an operator frees it', async () => {
    const config = { ...service.app.config };
    Object.assign(service.app.config, { LAB_MLLP_PORTS: '8000' });
    try {
      const first = await connectLab(owner);
      await owner.management.delete(first.path);
      await expect(connectLab(other)).rejects.toThrow('No port for another laboratory is left');
      await expect(connectLab(owner)).rejects.toThrow('No port for another laboratory is left');
      await expect(freeListenerPort(service.app, first.id)).rejects.toMatchObject({ kind: 'conflict' });
      service.clock.move(61_000);
      await freeListenerPort(service.app, first.id);
      const next = await connectLab(other);
      expect(next.listener_port).toBe(8000);
      const log = (await owner.management.get(`/v1/org/${owner.orgId}/audit_log`)).json.data;
      expect(log[0]).toMatchObject({
        action: 'free_lab_port',
        subject: first.id,
        before: { listener_port: 8000 },
      });
      await restart();
      line = await reopenWith({ LAB_MLLP_PORTS: '8000' });
      await sendLabMessage({ line, connection: next }, resultText(first));
      expect(await messages(other, next)).toEqual([]);
    } finally {
      Object.assign(service.app.config, config);
    }
  });

  const reopenWith = async (settings: object) => {
    await line.stop();
    return openMllpListeners(service.app, settings);
  };

  it('is limited for each organization, deleted connections included', async () => {
    const config = { ...service.app.config };
    Object.assign(service.app.config, { LAB_MLLP_PORTS_PER_ORGANIZATION: 2 });
    const first = await connectLab(owner);
    await owner.management.delete(first.path);
    await connectLab(owner);
    const third = await connectLab(owner).catch((error: unknown) => String(error));
    Object.assign(service.app.config, config);
    expect(third).toContain('at most 2 ports');
  });

  it('is refused where the deployment has none for the environment', async () => {
    const config = { ...service.app.config };
    Object.assign(service.app.config, { LAB_MLLP_SANDBOX_PORTS: undefined, LAB_MLLP_HOST: '10.0.0.1' });
    const made = await connectLab(await service.team('sandbox')).catch((error: unknown) => String(error));
    Object.assign(service.app.config, { LAB_MLLP_HOST: undefined, ...config });
    expect(made).toContain('LAB_MLLP_SANDBOX_PORTS');
  });

  it('is kept by a connection that receives in another way for a while', async () => {
    const connection = await connectLab(owner);
    await owner.management.patch(connection.path, { inbound: 'https' });
    expect(await sendLabMessage({ line, connection }, resultText(connection))).toMatchObject({ code: 'AR' });
    await owner.management.patch(connection.path, { inbound: 'mllp' });
    expect((await read(owner, connection)).listener_port).toBe(connection.listener_port);
  });
});

describe('a deleted connection', () => {
  it('can be restored by its team, with its port and its messages, and by nobody else', async () => {
    const connection = await connectLab(owner);
    await sendLabMessage({ line, connection }, resultText(connection));
    await owner.management.delete(connection.path);
    const foreign = `/v1/org/${other.orgId}/team/${other.tenant.teamId}/production/lab_connection`;
    expect((await other.management.post(`${foreign}/${connection.id}/restore`, {})).status).toBe(404);
    const base = connection.path.slice(0, connection.path.lastIndexOf('/'));
    const deleted = (await owner.management.get(`${base}?deleted=true`)).json.data;
    expect(deleted).toMatchObject([{ id: connection.id, listener_port: connection.listener_port }]);
    const restored = await owner.management.post(`${connection.path}/restore`, {});
    expect(restored.json).toMatchObject({ enabled: true, listener_port: connection.listener_port });
    expect((await owner.management.post(`${connection.path}/restore`, {})).status).toBe(404);
    await restart();
    expect(
      await sendLabMessage({ line, connection }, resultText(connection, { id: 'M2' }), 'M2'),
    ).toMatchObject({
      code: 'AA',
    });
    expect(await messages(owner, connection)).toHaveLength(2);
  });

  it('gets another port when it is restored after its port was freed', async () => {
    const connection = await connectLab(owner);
    await owner.management.delete(connection.path);
    service.clock.move(61_000);
    await freeListenerPort(service.app, connection.id);
    const { json } = await owner.management.post(`${connection.path}/restore`, {});
    expect(json.listener_port).toEqual(expect.any(Number));
  });

  it('loses no message that arrives while it is deleted', async () => {
    const connection = await connectLab(owner);
    const port = await line.portOf(connection);
    // Fewer than the connections that one address may have.
    const ids = Array.from({ length: 15 }, (_, n) => `D${n}`);
    const texts = ids.map((id) => resultText(connection, { id, placer: id }));
    const [answers] = await Promise.all([
      Promise.all(texts.map((text, n) => sendToPort(port, text, ids[n] ?? ''))),
      owner.management.delete(connection.path),
    ]);
    await restart();
    const last = resultText(connection, { id: 'LAST' });
    expect(await sendLabMessage({ line, connection }, last, 'LAST')).toMatchObject({
      code: 'AR',
      text: 'The connection was deleted',
    });
    await service.settle();
    const { rows } = await service.ownerPool.query(
      'select control_id, status from lab_message where connection_id = $1',
      [connection.id],
    );
    const accepted = answers.filter(({ code }) => code === 'AA').length;
    expect(rows).toHaveLength(accepted);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(accepted === 0 ? [] : ['taken']));
    expect(await unclaimed(connection)).toHaveLength(ids.length - accepted + 1);
  });

  it('is the only one that its refused messages are assigned to without a special flag', async () => {
    const connection = await connectLab(owner);
    await owner.management.delete(connection.path);
    await restart();
    await sendLabMessage({ line, connection }, resultText(connection));
    const [letter] = await unclaimed(connection);
    const id = letter?.id ?? '';
    const thief = await connectLab(other, namesOf(connection));
    await expect(claimMessage(service.app, { id, connectionId: thief.id })).rejects.toMatchObject({
      kind: 'conflict',
    });
    await owner.management.post(`${connection.path}/restore`, {});
    expect(await claimMessage(service.app, { id, connectionId: connection.id })).toMatchObject({
      outcome: 'claimed',
    });
    expect(await messages(owner, connection)).toHaveLength(1);
  });
});

describe('names on the shared port', () => {
  it('are given by an operator, to one connection, and freed by an operator', async () => {
    const first = await connectLab(owner);
    const second = await connectLab(other, namesOf(first));
    await shareListener(service.app, first.id);
    await expect(shareListener(service.app, second.id)).rejects.toMatchObject({ kind: 'conflict' });
    await owner.management.delete(first.path);
    await expect(shareListener(service.app, second.id)).rejects.toMatchObject({ kind: 'conflict' });
    await unshareListener(service.app, first.id);
    await shareListener(service.app, second.id);
    await restart();
    expect(await sendToPort(line.sharedPort, resultText(first))).toMatchObject({ code: 'AA' });
    expect(await messages(other, second)).toHaveLength(1);
    const identities = await listListenerIdentities(service.app);
    const stateOf = ({ id }: TestLabConnection) => identities.find(({ connectionId }) => connectionId === id);
    expect(stateOf(first)).toMatchObject({ state: 'deleted', isShared: false, port: first.listener_port });
    expect(stateOf(second)).toMatchObject({ state: 'enabled', isShared: true });
    const log = (await other.management.get(`/v1/org/${other.orgId}/audit_log`)).json.data;
    expect(log[0]).toMatchObject({ action: 'share_lab_listener', subject: second.id });
  });

  it('cannot be changed by the team', async () => {
    const connection = await connectLab(owner);
    await shareListener(service.app, connection.id);
    for (const change of [{ lab_facility: 'MINE' }, { our_application: 'MINE' }, { checks_parties: false }])
      expect((await owner.management.patch(connection.path, change)).status).toBe(422);
    expect((await owner.management.patch(connection.path, { name: 'Renamed' })).status).toBe(200);
  });

  it('are never those of a sandbox', async () => {
    const connection = await connectLab(await service.team('sandbox'));
    await expect(shareListener(service.app, connection.id)).rejects.toMatchObject({ kind: 'bad_request' });
  });
});

describe('a connection from before connections had ports', () => {
  const forget = (id: string, isShared: boolean) =>
    service.ownerPool.query(
      'update lab_connection set listener_port = null, shared_listener = $2 where id = $1',
      [id, isShared],
    );

  it('gets a port at the start of a worker, and keeps its names on the shared port', async () => {
    const connection = await connectLab(owner);
    await forget(connection.id, true);
    await restart();
    const { listener_port: port } = await read(owner, connection);
    expect(port).toEqual(expect.any(Number));
    expect(await sendToPort(line.sharedPort, resultText(connection))).toMatchObject({ code: 'AA' });
    expect(await sendLabMessage({ line, connection }, resultText(connection))).toMatchObject({ code: 'AA' });
    expect(await messages(owner, connection)).toHaveLength(1);
  });

  it('gets one port from two workers that start at once', async () => {
    const connection = await connectLab(owner);
    await forget(connection.id, false);
    const workers = await Promise.all([openMllpListeners(service.app), openMllpListeners(service.app)]);
    for (const worker of workers)
      expect(await sendLabMessage({ line: worker, connection }, resultText(connection))).toMatchObject({
        code: 'AA',
      });
    await Promise.all(workers.map((worker) => worker.stop()));
    expect(await messages(owner, connection)).toHaveLength(1);
  });
});

describe('a new token of a connection', () => {
  const post = (token: string, text: string, remoteAddress = '198.51.100.7') =>
    service.http.server.inject({
      method: 'POST',
      url: '/v1/inbound/laboratory/message',
      headers: { 'content-type': 'application/hl7-v2', authorization: `Bearer ${token}` },
      remoteAddress,
      payload: text,
    });

  it('leaves the previous one valid for the time that the team chose', async () => {
    const connection = await connectLab(owner, { inbound: 'https' });
    const rotate = async (body: object) =>
      (await owner.management.post(`${connection.path}/token`, body)).json.token;
    const first = await rotate({});
    const second = await rotate({ overlap_hours: 2 });
    const statuses = async () =>
      Promise.all(
        [first, second].map(async (token) => (await post(token, resultText(connection))).statusCode),
      );
    expect(await statuses()).toEqual([200, 200]);
    service.clock.move(2 * 3_600_000);
    expect(await statuses()).toEqual([401, 200]);
    const third = await rotate({ overlap_hours: 2 });
    await owner.management.delete(connection.path);
    for (const token of [second, third])
      expect((await post(token, resultText(connection))).statusCode).toBe(401);
  });

  it('cannot be guessed: an address that tries is limited, and a valid token never is', async () => {
    const connection = await connectLab(owner, { inbound: 'https' });
    const { token } = (await owner.management.post(`${connection.path}/token`, {})).json;
    const guesses = await Promise.all(
      Array.from({ length: 25 }, (_, n) => post(`lab_${'x'.repeat(30)}${n}`, '', '203.0.113.9')),
    );
    const counts = [401, 429].map((code) => guesses.filter(({ statusCode }) => statusCode === code).length);
    expect(counts).toEqual([20, 5]);
    expect((await post(token, resultText(connection), '203.0.113.9')).statusCode).toBe(200);
  });

  it('accepts a message with other names only if the connection does not check them', async () => {
    const connection = await connectLab(owner, { inbound: 'https' });
    const { token } = (await owner.management.post(`${connection.path}/token`, {})).json;
    const text = resultText(connection).replace('|LIS|', '|OTHER|');
    expect((await post(token, text)).body).toMatch(/MSA\|AR\|M1\|The parties/);
    await owner.management.patch(connection.path, { checks_parties: false });
    expect((await post(token, text)).body).toContain('MSA|AA|M1');
  });
});
