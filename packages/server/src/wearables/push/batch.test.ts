import { gzipSync } from 'node:zlib';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { BODY_BYTES_MAX, ITEMS_MAX } from './schema.ts';

let service: TestService;
let team: TestTeam;
let url: string;
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  url = `/v2/timeseries/${await team.user()}/heartrate`;
});
afterAll(() => service.close());

const beat = (second: number) => ({ timestamp: `2026-03-02T0${second % 10}:00:00Z`, value: 60 });
const whole = (count: number) => JSON.stringify({ data: Array.from({ length: count }, (_, at) => beat(at)) });
const lines = (count: number) =>
  Array.from({ length: count }, (_, at) => JSON.stringify(beat(at))).join('\n');

async function send(payload: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await service.http.server.inject({
    method: 'POST',
    url,
    headers: { 'x-service-api-key': team.key, 'content-type': 'application/json', ...headers },
    payload,
  });
  return { status: answer.statusCode, json: answer.json() };
}

const ndjson = { 'content-type': 'application/x-ndjson' };
const gzip = { 'content-encoding': 'gzip' };

describe('a batch', () => {
  // prettier-ignore
  const good: [string, string | Buffer, Record<string, string>, number][] = [
    ['JSON',                         whole(3),                            {},                    3],
    ['JSON with a charset',          whole(2), { 'content-type': 'application/json; charset=utf-8' }, 2],
    ['lines',                        lines(4),                            ndjson,                4],
    ['lines, the last one ended',    `${lines(2)}\r\n\n`,                 ndjson,                2],
    ['packed JSON',                  gzipSync(whole(3)),                  gzip,                  3],
    ['packed lines',                 gzipSync(lines(5)),                  { ...ndjson, ...gzip }, 5],
    ['two packs, one after another', Buffer.concat([gzipSync(`${lines(1)}\n`), gzipSync(lines(1))]), { ...ndjson, ...gzip }, 2],
    ['no packing, said aloud',       lines(1), { ...ndjson, 'content-encoding': 'identity' },    1],
    ['as many as may be',            lines(ITEMS_MAX),                    ndjson,                ITEMS_MAX],
  ];
  it.each(good)('is read as %s', async (_what, payload, headers, received) => {
    expect(await send(payload, headers)).toMatchObject({ status: 200, json: { received } });
  });

  const bomb = gzipSync(Buffer.alloc(BODY_BYTES_MAX + 1, ' '), { level: 9 });
  // prettier-ignore
  const bad: [string, string | Buffer, Record<string, string>, number, unknown][] = [
    ['an unknown media type',     'a,b',                    { 'content-type': 'text/csv' }, 415, expect.stringContaining('application/x-ndjson')],
    ['no media type',             whole(1),                 { 'content-type': '' },         415, expect.anything()],
    ['an unknown packing',        whole(1),                 { 'content-encoding': 'br' },   415, 'Unsupported Content-Encoding; expected gzip or none'],
    ['broken JSON',               '{"data": [',             {},                             422, [expect.objectContaining({ loc: ['body'], msg: expect.stringContaining('not JSON') })]],
    ['JSON nested too deep',      `${'['.repeat(65)}`,      {},                             422, expect.anything()],
    ['what is not packed',        whole(1),                 gzip,                           400, 'The body is not valid gzip'],
    ['a pack that is cut off',    gzipSync(whole(100)).subarray(0, 60), gzip,               400, 'The body is not valid gzip'],
    ['one item too many',         whole(ITEMS_MAX + 1),     {},                             413, expect.stringContaining('more than 10000 items')],
    ['one line too many',         lines(ITEMS_MAX + 1),     ndjson,                         413, expect.stringContaining('more than 10000 items')],
    ['a small pack of blank lines', gzipSync('\n'.repeat(ITEMS_MAX + 2)), { ...ndjson, ...gzip }, 413, expect.stringContaining('more than 10000 items')],
    ['a long body',               ' '.repeat(BODY_BYTES_MAX + 1), {},                       413, `The body is larger than ${BODY_BYTES_MAX} bytes`],
    ['a small pack of much',      bomb,                     gzip,                           413, `The body is larger than ${BODY_BYTES_MAX} bytes`],
    ['nothing',                   '',                       {},                             422, expect.anything()],
    ['a list',                    '[]',                     {},                             422, expect.anything()],
    ['no items',                  '{"data": []}',           {},                             422, expect.anything()],
    ['no lines',                  '\n\n',                   ndjson,                         422, expect.anything()],
  ];
  it.each(bad)('is rejected with %s', async (_what, payload, headers, status, detail) => {
    expect(await send(payload, headers)).toEqual({ status, json: { detail } });
  });

  it('skips a byte order mark, and is rejected if it is not UTF-8', async () => {
    expect(await send(`\ufeff${whole(1)}`)).toMatchObject({ status: 200, json: { received: 1 } });
    const foreign = Buffer.from('{"data": [], "note": "caf\u00e9"}', 'latin1');
    expect(await send(foreign)).toMatchObject({
      status: 422,
      json: { detail: [{ loc: ['body'], msg: 'The body is not UTF-8' }] },
    });
    const line = Buffer.concat([
      Buffer.from(`${lines(1)}\n`),
      Buffer.from('{"note": "caf\u00e9"}', 'latin1'),
    ]);
    const { json } = await send(line, ndjson);
    expect(json).toMatchObject({ received: 2, refused: [{ index: 1, msg: 'The line is not UTF-8' }] });
  });

  it('continues after a broken line, and reports it', async () => {
    const { status, json } = await send(`${lines(1)}\n{"timestamp": \n${lines(1)}`, ndjson);
    expect(status).toBe(200);
    expect(json).toMatchObject({ received: 3, refused: [{ index: 1, loc: [], type: 'json_invalid' }] });
    expect(json.refused[0].msg).toMatch(/^The line is not JSON/);
  });

  it('is not read without authentication', async () => {
    const answer = await service.http.server.inject({
      method: 'POST',
      url,
      payload: gzipSync('broken').subarray(3),
      headers: { ...ndjson, ...gzip },
    });
    expect(answer.statusCode).toBe(401);
  });
});

/** A client that stops as soon as it gets a response, and counts the bytes sent until then. */
function sendEndlessly(base: URL): Promise<{ status: number; sent: number }> {
  const line = Buffer.from(`${lines(1)}\n`.repeat(1000));
  return new Promise((resolve, reject) => {
    let sent = 0;
    let answered = false;
    const headers = { 'x-service-api-key': team.key, ...ndjson };
    const request = httpRequest(new URL(url, base), { method: 'POST', headers }, (response) => {
      answered = true;
      resolve({ status: response.statusCode ?? 0, sent });
      response.resume();
      request.destroy();
    });
    request.on('error', (error) => (answered ? undefined : reject(error)));
    const more = () => {
      if (answered) return;
      sent += 1000;
      if (request.write(line)) setImmediate(more);
      else request.once('drain', more);
    };
    more();
  });
}

describe('an endless batch', () => {
  it('is rejected while it is still being sent', async () => {
    const base = new URL(await service.http.server.listen({ host: '127.0.0.1', port: 0 }));
    const { status, sent } = await sendEndlessly(base);
    expect(status).toBe(413);
    expect(sent).toBeGreaterThan(ITEMS_MAX);
    expect(sent).toBeLessThan(1_000_000);
  });
});
