import fc from 'fast-check';
import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import {
  connectLab,
  wrapFrame,
  openMllpListeners,
  resultText,
  sendLabMessage,
  sendRaw,
  sendToPort,
  type TestLabConnection,
  type TestMllpListeners,
} from '../../../test/laboratory.ts';
import { pollFolders } from './poll-folders.ts';
import { processMessages } from './process-messages.ts';

let service: TestService;
let line: TestMllpListeners;
let team: TestTeam;
let connection: TestLabConnection;
beforeAll(async () => {
  service = await openTestService();
  line = await openMllpListeners(service.app);
});
afterAll(async () => {
  await line.stop();
  await service.close();
});
beforeEach(async () => {
  team = await service.team();
  connection = await connectLab(team);
});

const messages = async (query = '', of = connection) =>
  (await team.management.get(`${of.path}/message${query}`)).json.data;
const count = async (table: string, where = 'true', values: unknown[] = []): Promise<number> =>
  (await service.ownerPool.query(`select count(*)::int as n from ${table} where ${where}`, values)).rows[0].n;
const incoming = () => count('incoming_result', 'team_id = $1', [team.tenant.teamId]);

describe('a result received by MLLP', () => {
  it('is stored byte for byte before it is acknowledged, and then processed', async () => {
    const text = resultText(connection, { name: 'Lovel\u00e9ce^Ada' });
    expect(await sendLabMessage({ line, connection }, text)).toEqual({ code: 'AA', text: null });
    const [message] = await messages();
    expect(message).toMatchObject({ direction: 'in', way: 'mllp', control_id: 'M1', answer: 'AA' });
    const whole = (await team.management.get(`${connection.path}/message/${message.id}`)).json;
    expect(Buffer.from(whole.body, 'base64').toString('latin1')).toBe(text);
    const { rows } = await service.ownerPool.query('select body from lab_message where id = $1', [
      message.id,
    ]);
    expect(rows[0].body.includes('ce^Ada||19851210')).toBe(false);
    await service.settle();
    expect(await messages()).toMatchObject([{ status: 'taken', reason: null }]);
    expect(await incoming()).toBe(1);
  });

  it('is stored once if it is sent again, even with a new header timestamp', async () => {
    const text = resultText(connection);
    await Promise.all([
      sendLabMessage({ line, connection }, text),
      sendLabMessage({ line, connection }, text),
      sendLabMessage({ line, connection }, text.replace('20260302150000', '20260302160000')),
    ]);
    await service.settle();
    expect(await sendLabMessage({ line, connection }, text)).toEqual({ code: 'AA', text: null });
    await service.settle();
    expect([(await messages()).length, await incoming()]).toEqual([1, 1]);
  });

  it('with the control id of a different message is a new message', async () => {
    await sendLabMessage({ line, connection }, resultText(connection));
    await sendLabMessage({ line, connection }, resultText(connection, { value: '95' }));
    await service.settle();
    expect([(await messages()).length, await incoming()]).toEqual([2, 2]);
  });

  it('may be pipelined on one connection; each is acknowledged in turn', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `N${n}`);
    const bytes = Buffer.concat(
      ids.map((id) => wrapFrame(Buffer.from(resultText(connection, { id, placer: id })))),
    );
    const heard = await sendRaw(await line.portOf(connection), bytes, 30);
    expect([...heard.matchAll(/MSA\|AA\|(\w+)/g)].map((match) => match[1])).toEqual(ids);
    await service.settle();
    expect(await count('lab_message', "connection_id = $1 and status = 'taken'", [connection.id])).toBe(30);
  });

  it('may be a batch, which gets one answer', async () => {
    const batch = `BHS|^~\\&\r${resultText(connection, { id: 'B1' })}${resultText(connection, { id: 'B2', value: '1' })}BTS|2\r`;
    const heard = await sendRaw(await line.portOf(connection), wrapFrame(Buffer.from(batch)), 1);
    expect([...heard.matchAll(/MSA\|AA\|(\w+)/g)].map((match) => match[1])).toEqual(['B1', 'B2']);
    expect(await messages()).toHaveLength(2);
  });

  it('of unknown parties is rejected, and stored as unclaimed', async () => {
    const before = await count('lab_unclaimed_message');
    const stranger = { lab_facility: 'NOBODY', our_facility: 'NOWHERE' };
    expect(await sendToPort(line.sharedPort, resultText(stranger))).toMatchObject({ code: 'AR' });
    expect(await count('lab_unclaimed_message')).toBe(before + 1);
    await team.management.patch(connection.path, { enabled: false });
    expect(await sendLabMessage({ line, connection }, resultText(connection))).toMatchObject({ code: 'AR' });
    expect(await messages()).toEqual([]);
  });

  it('is rejected without the required client certificate', async () => {
    const fingerprint = Array.from({ length: 32 }, () => 'AB').join(':');
    const other = await connectLab(team, { client_fingerprint: fingerprint });
    expect(await sendLabMessage({ line, connection: other }, resultText(other))).toMatchObject({
      code: 'AR',
    });
  });

  it('marked as a test is not accepted in production', async () => {
    team = await service.team('production');
    connection = await connectLab(team);
    expect(
      await sendLabMessage({ line, connection }, resultText(connection, { processing: 'T' })),
    ).toMatchObject({
      code: 'AE',
    });
    expect(await messages('?status=dead')).toHaveLength(1);
    expect(
      await sendLabMessage({ line, connection }, resultText(connection, { id: 'M2' }), 'M2'),
    ).toMatchObject({
      code: 'AA',
    });
  });

  it('of 5 MB is accepted; of a larger one, only the beginning is stored', async () => {
    const large = (bytes: number) => `${resultText(connection)}NTE|1|L|${'x'.repeat(bytes)}`;
    expect(await sendLabMessage({ line, connection }, large(5_000_000))).toMatchObject({ code: 'AA' });
    expect(await sendLabMessage({ line, connection }, large(6_000_000))).toMatchObject({ code: 'AR' });
    const [refused, taken] = await messages();
    expect([refused.status, refused.size_bytes, taken.size_bytes > 5_000_000]).toEqual(['dead', 4096, true]);
  });
});

describe('a dead letter', () => {
  const broken = () => resultText(connection).replace(/\rOBR[^\r]*/, '');

  it('is acknowledged with AE and a reason without patient data, and is dead again after a retry', async () => {
    const answer = await sendLabMessage({ line, connection }, broken());
    expect(answer).toEqual({ code: 'AE', text: 'Expected an OBR: the message reports nothing' });
    const [dead] = await messages('?status=dead&direction=in');
    expect(dead).toMatchObject({ status: 'dead', answer: 'AE', reason: answer.text });
    expect((await team.management.post(`${connection.path}/message/${dead.id}/retry`)).json.status).toBe(
      'stored',
    );
    await service.settle();
    expect(await messages()).toMatchObject([{ status: 'dead', reason: answer.text }]);
  });

  it('is a part of a message that is continued in another one, and the laboratory learns it', async () => {
    const reason = 'The message is continued in another one (DSC, ADD): send it as one message';
    const answer = await sendLabMessage({ line, connection }, `${resultText(connection)}\rDSC|1234|F`);
    expect(answer).toEqual({ code: 'AE', text: reason });
    expect(await messages()).toMatchObject([{ status: 'dead', answer: 'AE', reason }]);
    expect(await incoming()).toBe(0);
  });

  it('is processed by a retry after a fix, and its repeat is then acknowledged', async () => {
    const { labWire } = service.app;
    const faulty = {
      ...labWire,
      readReports: () => {
        throw new TypeError('A fault of ours');
      },
    };
    Object.assign(service.app, { labWire: faulty });
    const other = await openMllpListeners(service.app);
    const answer = await sendLabMessage({ line: other, connection }, resultText(connection)).finally(
      async () => {
        Object.assign(service.app, { labWire });
        await other.stop();
      },
    );
    expect(answer).toEqual({ code: 'AE', text: 'The message could not be read' });
    const [dead] = await messages();
    await team.management.post(`${connection.path}/message/${dead.id}/retry`);
    await service.settle();
    expect(await messages()).toMatchObject([{ status: 'taken' }]);
    expect(await sendLabMessage({ line, connection }, resultText(connection))).toEqual({
      code: 'AA',
      text: null,
    });
    const again = await team.management.post(`${connection.path}/message/${dead.id}/retry`);
    expect([again.status, await incoming()]).toEqual([409, 1]);
  });

  it.each([
    [
      'a frame that another one begins in',
      '\u000bMSH|^~\\&|LIS|$LAB|ALIQUOT|$US|||ORU^R01|X\r\u000b',
      'truncated',
    ],
    ['a frame that the line broke in', '\u000bMSH|^~\\&|LIS|$LAB|ALIQUOT|$US|||ORU^R01|X\r', 'broken off'],
    ['bytes without a frame', 'MSH|^~\\&|LIS|$LAB|ALIQUOT|$US|||ORU^R01|X\r', 'unframed'],
  ])('is made of %s', async (_name, text) => {
    const bytes = text.replace('$LAB', connection.lab_facility).replace('$US', connection.our_facility);
    await sendRaw(await line.portOf(connection), Buffer.from(bytes), 0);
    await expect.poll(() => messages('?status=dead')).toHaveLength(1);
  });
});

describe('processing', () => {
  it('twice, or twice at once, has one effect', async () => {
    await sendLabMessage({ line, connection }, resultText(connection));
    const input = { connection_id: connection.id };
    const run = () => processMessages.run(service.app, team.tenant, input);
    await Promise.all([run(), run(), run()]);
    await run();
    await service.settle();
    expect(await incoming()).toBe(1);
  });

  it('of a failing message does not block the others, and is retried', async () => {
    for (const id of ['T1', 'T2', 'T3'])
      await sendLabMessage({ line, connection }, resultText(connection, { id, placer: id }), id);
    await service.settle();
    // The database refuses what belongs to T2.
    await service.ownerPool.query(`create function refuse_t5() returns trigger language plpgsql as $$
      begin if new.control_id = 'T5' then raise exception 'no'; end if; return new; end $$`);
    await service.ownerPool.query(
      'create trigger refuse_t5 before insert on incoming_result for each row execute function refuse_t5()',
    );
    for (const id of ['T4', 'T5', 'T6'])
      await sendLabMessage({ line, connection }, resultText(connection, { id, placer: id }), id);
    await service.settle();
    const standing = async () =>
      (await messages()).map(
        (one: { control_id: string; status: string }) => `${one.control_id} ${one.status}`,
      );
    expect(await standing()).toEqual([
      'T6 taken',
      'T5 stored',
      'T4 taken',
      'T3 taken',
      'T2 taken',
      'T1 taken',
    ]);
    await service.ownerPool.query('drop trigger refuse_t5 on incoming_result');
    service.clock.move(60_000);
    service.app.notifier.notify('timers');
    await service.settle();
    expect((await standing())[1]).toBe('T5 taken');
  });
});

describe('results in files', () => {
  it('are processed once when complete, and archived', async () => {
    const byFolder = await connectLab(team, { inbound: 'folder' });
    const root = join(service.app.config.DATA_DIR, 'folders');
    const at = (...names: string[]) => join(root, byFolder.id, ...names);
    const seen = new Map<string, string>();
    const look = () => pollFolders(service.app, { root, seen });
    await look();
    const [first, second] = ['F1', 'F2'].map((id) => resultText(byFolder, { id, placer: id }));
    await writeFile(at('in', 'half.hl7'), first ?? '');
    await look();
    await writeFile(at('in', 'half.hl7'), `FHS|^~\\&\r${first}${second}FTS|2\r`);
    await writeFile(at('in', 'odd.txt'), 'not a message');
    await writeFile(at('in', 'later.hl7.tmp'), first ?? '');
    await mkdir(at('in', 'folder'));
    await symlink('/etc/hostname', at('in', 'link'));
    await look();
    expect(await messages('', byFolder)).toEqual([]);
    await look();
    await service.settle();
    const taken = await messages('', byFolder);
    expect(taken.map((one: { control_id: string; status: string }) => [one.control_id, one.status])).toEqual([
      ['', 'dead'],
      ['F2', 'taken'],
      ['F1', 'taken'],
    ]);
    expect(await readdir(at('in'))).toEqual(['folder', 'later.hl7.tmp', 'link']);
    expect([(await readdir(at('done'))).length, (await readdir(at('failed'))).length]).toEqual([1, 1]);
    await writeFile(at('in', 'again.hl7'), first ?? '');
    await look();
    await look();
    expect(await messages('', byFolder)).toHaveLength(3);
  });

  it('are processed in the order of their modification times', async () => {
    const byFolder = await connectLab(team, { inbound: 'folder' });
    const root = join(service.app.config.DATA_DIR, 'folders-in-order');
    const folder = join(root, byFolder.id, 'in');
    await mkdir(folder, { recursive: true });
    for (const [at, name] of ['result-9f2', 'result-1a7', 'result-5c0'].entries()) {
      const file = join(folder, `${name}.hl7`);
      await writeFile(file, resultText(byFolder, { id: name, placer: name }));
      await utimes(file, at, at);
    }
    const seen = new Map<string, string>();
    await pollFolders(service.app, { root, seen });
    await pollFolders(service.app, { root, seen });
    const taken = await messages('', byFolder);
    const ids = taken.map((one: { control_id: string }) => one.control_id);
    expect(ids.toReversed()).toEqual(['result-9f2', 'result-1a7', 'result-5c0']);
  });

  it('are processed even if the folder of another laboratory cannot be opened', async () => {
    const [broken, whole] = [
      await connectLab(await service.team(), { inbound: 'folder' }),
      await connectLab(team, { inbound: 'folder' }),
    ];
    const root = join(service.app.config.DATA_DIR, 'folders-with-a-broken-one');
    const folder = join(root, whole.id, 'in');
    await mkdir(folder, { recursive: true });
    await writeFile(join(root, broken.id), 'not a folder');
    await writeFile(join(folder, 'a.hl7'), resultText(whole));
    const seen = new Map<string, string>();
    await pollFolders(service.app, { root, seen });
    await pollFolders(service.app, { root, seen });
    expect([await readdir(folder), (await messages('', whole)).length]).toEqual([[], 1]);
  });
});

describe('results posted by HTTPS', () => {
  const post = (token: string, type: string, payload: string) =>
    service.http.server.inject({
      method: 'POST',
      url: '/v1/inbound/laboratory/message',
      headers: { 'content-type': type, authorization: `Bearer ${token}` },
      payload,
    });

  async function connectByPost() {
    const byPost = await connectLab(team, { inbound: 'https' });
    const { token } = (await team.management.post(`${byPost.path}/token`)).json;
    return { byPost, token, text: resultText(byPost) };
  }

  it('are answered in their own format', async () => {
    const { byPost, token, text } = await connectByPost();
    for (const type of ['application/hl7-v2', 'x-application/hl7-v2+er7; charset=utf-8']) {
      const answer = await post(token, type, text);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([
        200,
        'application/hl7-v2; charset=utf-8',
      ]);
      expect(answer.body).toContain('MSA|AA|M1');
    }
    await service.settle();
    expect(await messages('', byPost)).toMatchObject([{ way: 'https', status: 'taken' }]);
    const bundle = await post(token, 'application/fhir+json', '{"resourceType":"Bundle","id":"B1"}');
    expect(JSON.parse(bundle.body).messages).toMatchObject([{ control_id: 'B1', code: 'AE' }]);
    const patient = { resourceType: 'Patient', id: 'p', name: [{ family: 'Lovelace', given: ['Ada'] }] };
    const coding = [{ system: 'http://loinc.org', code: '2345-7', display: 'Glucose' }];
    const observation = {
      resourceType: 'Observation',
      id: 'o',
      status: 'final',
      code: { coding },
      valueQuantity: { value: 90, unit: 'mg/dL' },
    };
    const report = {
      resourceType: 'DiagnosticReport',
      id: 'd',
      status: 'final',
      code: { text: 'Panel' },
      issued: '2026-03-02T10:00:00Z',
      subject: { reference: 'Patient/p' },
      result: [{ reference: 'Observation/o' }],
    };
    const entry = [report, patient, observation].map((resource) => ({ resource }));
    const whole = JSON.stringify({ resourceType: 'Bundle', id: 'B2', type: 'collection', entry });
    for (const _ of [1, 2]) {
      const said = JSON.parse((await post(token, 'application/fhir+json', whole)).body);
      expect(said.messages).toMatchObject([{ control_id: 'B2', code: 'AA', reason: null }]);
    }
    await service.settle();
    expect((await messages('?status=taken', byPost)).map((one: { format: string }) => one.format)).toEqual([
      'fhir',
      'hl7',
    ]);
  });

  it('require the token of the connection, a known content type and a limited size', async () => {
    const { byPost, token, text } = await connectByPost();
    expect((await post(`${token}x`, 'application/hl7-v2', text)).statusCode).toBe(401);
    expect((await post(token, 'text/plain', text)).statusCode).toBe(415);
    expect((await post(token, 'application/hl7-v2', 'x'.repeat(6_000_000))).statusCode).toBe(413);
    const next = (await team.management.post(`${byPost.path}/token`)).json.token;
    expect((await post(token, 'application/hl7-v2', text)).statusCode).toBe(401);
    expect((await post(next, 'application/hl7-v2', text)).statusCode).toBe(200);
    expect((await team.management.get(byPost.path)).text).not.toContain(next);
  });

  it('are processed with escaped NULs removed, like those by MLLP', async () => {
    const text = resultText(connection, { id: 'M\\X00\\1', placer: 'P\\X00\\1' });
    expect(await sendLabMessage({ line, connection }, text, 'M1')).toMatchObject({ code: 'AA' });
    const { byPost, token } = await connectByPost();
    const report = {
      resourceType: 'DiagnosticReport',
      identifier: [{ value: 'A\u0000B' }],
      status: 'final',
      code: { text: 'Panel' },
      issued: '2026-03-02T10:00:00Z',
    };
    await post(token, 'application/fhir+json', JSON.stringify({ ...report, id: 'R\u00001' }));
    await service.settle();
    expect(await messages()).toMatchObject([{ status: 'taken', reason: null }]);
    expect(await messages('', byPost)).toMatchObject([{ status: 'taken', reason: null }]);
    expect(await incoming()).toBe(2);
  });
});

describe('ten thousand messages with faults', () => {
  const faults = fc.constantFrom<(text: string, n: number) => Buffer>(
    (text) => Buffer.from(text),
    (text, n) => Buffer.from(text.slice(0, n % text.length)),
    (text, n) => Buffer.from(text.replace('\rPID', `\rZ${n}X|?\rPID`)),
    (text) => Buffer.from(text.replaceAll('\r', '\n')),
    (text, n) => Buffer.concat([Buffer.from(text), Buffer.of(n % 256, 0xff, 0xc3)]),
    (text) => Buffer.from(text, 'utf16le'),
    (text, n) => Buffer.from(text.replace('|90|', `|${'9'.repeat(n % 5000)}|`)),
    (text, n) => Buffer.from(text.replace('OBX|1', `OBX${'|'.repeat(n % 900)}`)),
    (text, n) => Buffer.from(text.replace('\rOBX', `\0${n}\rOBX`)),
    (text) => Buffer.from(text.replace('^~\\&', '^^^^')),
    (text) => Buffer.from(text.replace('ORU^R01', 'ADT^A01')),
    (text) => Buffer.from(text.replace('|LIS|', '|SOMEBODY|')),
    (text) => Buffer.from(text.replace('|ORU', '|'.repeat(50))),
  );

  afterEach(async () => {
    // They need not be taken, too: whoever waits for the house next would wait for that.
    await service.ownerPool.query("delete from lab_message where connection_id = $1 and status = 'stored'", [
      connection.id,
    ]);
  });

  // Ten parts, because all of them at once take longer on a busy machine than a test may.
  const SENT = 1000;
  const SEEDS = Array.from({ length: 10 }, (_, part) => 25 + part);
  it.each(SEEDS)('are all answered and all stored (%i)', async (seed) => {
    const strangers = await count('lab_unclaimed_message');
    const cases = fc.sample(fc.tuple(faults, fc.nat({ max: 100_000 })), { numRuns: SENT, seed });
    const frames = cases.map(([fault, n], index) => {
      const id = `Z${index}`;
      // Nothing but the fault may look like the end of a frame.
      const bytes = fault(resultText(connection, { id, placer: id, name: `Doe${index}^Jane` }), n);
      const tail = Buffer.from(`NTE|${index}\r`);
      return wrapFrame(
        Buffer.from(
          Buffer.concat([bytes, tail]).map((byte) => (byte === 0x0b || byte === 0x1c ? 0x20 : byte)),
        ),
      );
    });
    const lanes = Array.from({ length: 10 }, (_, lane) =>
      frames.filter((_frame, index) => index % 10 === lane),
    );
    const port = await line.portOf(connection);
    const heard = await Promise.all(lanes.map((lane) => sendRaw(port, Buffer.concat(lane), lane.length)));
    const answers = heard.join('').match(/MSA\|A[AER]/g) ?? [];
    expect(answers).toHaveLength(SENT);
    expect(new Set(answers)).toEqual(new Set(['MSA|AA', 'MSA|AE', 'MSA|AR']));
    const kept = await count('lab_message', 'connection_id = $1', [connection.id]);
    expect(kept + (await count('lab_unclaimed_message')) - strangers).toBe(SENT);
    expect(
      await sendLabMessage({ line, connection }, resultText(connection, { id: 'LAST' }), 'LAST'),
    ).toMatchObject({
      code: 'AA',
    });
  });
});
