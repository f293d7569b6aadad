import { randomUUID } from 'node:crypto';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { openHttp } from './http.ts';

const service = useTestService();
const team = useTestTeam(service);

const raw = (payload: string | Buffer, headers: Record<string, string> = {}) =>
  service.http.server.inject({
    method: 'POST',
    url: '/v2/user',
    headers: { 'x-service-api-key': team.key, 'content-type': 'application/json', ...headers },
    payload,
  });

describe('a bad request', () => {
  // prettier-ignore
  const bodies: [string, string, Record<string, string>, number][] = [
    ['broken JSON',            '{"client_user_id": ',                          {}, 422],
    ['JSON nested too deep',   `${'['.repeat(65)}${']'.repeat(65)}`,           {}, 422],
    ['another media type',     'client_user_id=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a body over the limit',  JSON.stringify({ client_user_id: 'x'.repeat(1024 * 1024) }), {}, 413],
    ['a list for an object',   '[]',                                           {}, 422],
    ['no body',                '',                                             {}, 422],
    ['a wrong type',           '{"client_user_id": 7}',                        {}, 422],
    ['a NUL in a text',        '{"client_user_id": "a\\u0000b"}',               {}, 422],
    ['half a surrogate pair',  '{"client_user_id": "a\\ud800b"}',               {}, 422],
    ['a NUL in a name',        '{"client_user_id": "a", "b\\u0000": 1}',        {}, 422],
    ['null',                   'null',                                         {}, 422],
  ];

  it.each(bodies)('with %s is reported in the error shape', async (_what, payload, headers, status) => {
    const answer = await raw(payload, headers);
    expect(answer.statusCode).toBe(status);
    expect(Object.keys(answer.json())).toEqual(['detail']);
    expect(answer.headers['x-request-id']).toBeTruthy();
    expect(answer.body).not.toMatch(/node_modules|at .*\.ts/);
  });

  it.each([
    ['hello', "Unexpected token 'h'"],
    ['client_user_id=ada', "Unexpected token 'c'"],
    ["{'client_user_id': 'ada'}", 'Expected property name'],
    ['{"client_user_id": "ada"', 'Expected'],
  ])('that is not JSON is refused with what is expected and where it fails: %s', async (body, where) => {
    const answer = await raw(body);
    expect(answer.statusCode).toBe(422);
    const msg = expect.stringContaining(
      `The body is not JSON; expected a document such as {"name": "value"}: ${where}`,
    );
    expect(answer.json()).toEqual({ detail: [{ loc: ['body'], msg, type: 'value_error' }] });
  });

  it('with a text in place of an uploaded file is a 422 at that field', async () => {
    const uploads = service.http.routes.filter(({ schema }) => schema.multipart);
    expect(uploads.length).toBeGreaterThan(1);
    for (const { path } of uploads) {
      const form = new FormData();
      form.append('file', 'a text');
      form.append('user_id', await team.user());
      const encoded = new Response(form);
      const answer = await service.http.server.inject({
        method: 'POST',
        url: path.replace(':user_id', await team.user()),
        headers: {
          'x-service-api-key': team.key,
          'content-type': encoded.headers.get('content-type') ?? '',
        },
        payload: Buffer.from(await encoded.arrayBuffer()),
      });
      expect([path, answer.statusCode]).toEqual([path, 422]);
      expect(answer.json().detail).toMatchObject([
        { loc: ['body', 'file', 0], msg: 'expected a file: a part with a filename' },
      ]);
    }
  });

  it('in another encoding than UTF-8 is refused, so that no names are confused', async () => {
    const latin = (name: string) => raw(Buffer.from(JSON.stringify({ client_user_id: name }), 'latin1'));
    for (const name of ['Ren\u00e9', 'Ren\u00e8']) {
      const answer = await latin(name);
      expect([answer.statusCode, answer.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body'], msg: 'The body is not UTF-8' }] },
      ]);
    }
    const marked = await raw('\ufeff{"client_user_id": "behind a byte order mark"}');
    expect([marked.statusCode, marked.json().client_user_id]).toEqual([200, 'behind a byte order mark']);
  });

  it('lists every invalid field at once, missing ones as missing', async () => {
    const { json } = await team.patch(`/v2/user/${await team.user()}/info`, {
      gender: 1,
      address: { zip: 5 },
    });
    const faults = json.detail as { loc: unknown[]; type: string; msg: string }[];
    expect(faults).toContainEqual({ loc: ['body', 'first_name'], msg: 'Field required', type: 'missing' });
    expect(faults).toContainEqual({
      loc: ['body', 'address', 'city'],
      msg: 'Field required',
      type: 'missing',
    });
    expect(faults.map(({ loc }) => loc.join('.'))).toContain('body.address.zip');
  });

  it('locates errors in the query and in the path too', async () => {
    const query = await team.get('/v2/user?limit=501&offset=x');
    expect(query.json.detail.map((fault: { loc: unknown[] }) => fault.loc)).toEqual([
      ['query', 'offset'],
      ['query', 'limit'],
    ]);
    const path = await team.get('/v2/user/not-an-id');
    expect(path.json.detail[0].loc).toEqual(['path', 'user_id']);
  });

  it('is refused with an example of what was expected', async () => {
    const id = await team.get('/v2/user/not-an-id');
    expect(id.json.detail[0].msg).toBe('expected an id such as 01a1fd28-27c1-7108-9a49-221c1161d033');
    const day = await team.post('/v2/user', { client_user_id: 'ada', fallback_birth_date: '10 Dec 1985' });
    expect(day.json.detail[0].msg).toBe('expected a date such as 2026-01-31');
    const moment = await team.get(`/v3/order/${randomUUID()}/labels/pdf?collection_date=2026-03-02`);
    expect(moment.json.detail[0].msg).toBe('expected a date and time such as 2026-01-31T09:30:00Z');
  });

  it.each([
    ['that is not one', '/v2/user/%', 400, 'The path is not a valid URL'],
    ['with an endless part', `/v2/user/${'x'.repeat(2001)}`, 404, 'A path segment is too long'],
  ])('to a path %s is refused in the error shape', async (_what, url, status, detail) => {
    const answer = await service.http.server.inject({ url, headers: { 'x-service-api-key': team.key } });
    expect(answer).toMatchObject({ statusCode: status, headers: { 'x-request-id': expect.any(String) } });
    expect(answer.json()).toEqual({ detail });
  });

  it('to an unknown route is a 404 in the error shape', async () => {
    const answer = await team.get('/v9/nothing');
    expect(answer).toMatchObject({ status: 404, json: { detail: 'No such route: GET /v9/nothing' } });
  });

  it('is answered with headers that forbid storing, guessing, framing and running', async () => {
    const { server } = service.http;
    const pages = ['/invite', '/sign-in-link', '/reference', '/link/no-such-token', '/portal/no-such-token'];
    for (const url of ['/v2/user', '/v9/nothing', '/healthz', ...pages]) {
      const { headers } = await server.inject({ url, headers: { 'x-service-api-key': team.key } });
      expect([url, headers]).toMatchObject([
        url,
        {
          'cache-control': 'no-store',
          'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
        },
      ]);
      expect(headers).not.toHaveProperty('strict-transport-security');
    }
    const secure = openHttp(
      { ...service.app, config: { ...service.app.config, PUBLIC_URL: 'https://api.example.com' } },
      { team: () => Promise.reject(new Error()), management: () => Promise.reject(new Error()) },
    );
    const { headers } = await secure.server.inject('/nothing');
    expect(headers['strict-transport-security']).toBe('max-age=63072000');
    await secure.server.close();
  });

  /** With a page at each path, which shows it. */
  const openBelow = (PUBLIC_URL: string, ...paths: string[]) => {
    const below = openHttp(
      { ...service.app, config: { ...service.app.config, PUBLIC_URL } },
      { team: () => Promise.reject(new Error()), management: () => Promise.reject(new Error()) },
    );
    for (const path of paths)
      below.page(path, { handler: async () => ({ status: 200, type: 'text/plain', text: path }) });
    return below;
  };

  it('finds its route with and without the path of PUBLIC_URL', async () => {
    const below = openBelow('https://example.com/a/b', '/', '/ping');
    const found = async (url: string) => {
      const { statusCode, body } = await below.server.inject(url);
      return statusCode === 200 ? body : statusCode;
    };
    // prettier-ignore
    for (const [url, expected] of [
      ['/ping', '/ping'], ['/a/b/ping', '/ping'], ['/a/b/ping?x=1', '/ping'], ['/a/b', '/'], ['/a/b/', '/'], ['/a/b?x', '/'],
      ['/a/bping', 404], ['/a/ping', 404], ['/a/b/a/b/ping', 404],
    ] as const)
      expect([url, await found(url)]).toEqual([url, expected]);
    await below.server.close();
  });

  it('is refused at the start where the path of PUBLIC_URL begins as its own', () => {
    const open = () => openBelow('https://example.com/ping/lab', '/ping');
    expect(open).toThrow('PUBLIC_URL: choose another path than /ping/lab');
  });

  it('with a method that its path does not have names those it has', async () => {
    const rows = service.http.routes;
    for (const path of new Set(rows.map((row) => row.path))) {
      const methods = rows.filter((row) => row.path === path).map((row) => row.method as string);
      const url = path.replaceAll(/:\w+/g, randomUUID());
      // A path of literals may also match one with parameters, which has further methods.
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
        if (methods.includes(method)) continue;
        const answer = await service.http.server.inject({ method, url });
        expect([path, method, answer.statusCode]).not.toEqual([path, method, 404]);
        if (answer.statusCode !== 405) continue;
        const allowed = String(answer.headers['allow']).split(', ');
        expect([path, method, allowed]).toEqual([path, method, expect.arrayContaining(methods)]);
        expect([path, allowed.includes(method)]).toEqual([path, false]);
        expect(answer.json().detail).toBe(`${method} is not supported here; expected ${allowed.join(', ')}`);
      }
    }
    const own = await service.http.server.inject({ method: 'DELETE', url: '/v3/orders/' });
    expect([own.statusCode, own.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it.each([
    [
      'with headers over the limit',
      `GET /healthz HTTP/1.1\r\nhost: x\r\nx-big: ${'y'.repeat(17 * 1024)}\r\n\r\n`,
      431,
      'The headers are larger than the limit',
    ],
    ['that is no request at all', 'HELLO\r\n\r\n', 400, 'The request is not valid HTTP'],
  ])('%s is refused before routing, in the error shape', async (_what, bytes, status, detail) => {
    const { server } = service.http;
    if (!server.server.listening) await server.listen({ host: '127.0.0.1', port: 0 });
    const { port } = server.server.address() as AddressInfo;
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      socket.on('data', (data) => resolve(data.toString()));
      socket.on('error', reject);
    });
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^x-request-id: [0-9a-f-]{36}$/m);
    expect(JSON.parse(body)).toEqual({ detail });
  });
});

describe('every response', () => {
  it('has a request id, the caller’s own when it is well-formed', async () => {
    expect((await team.get('/v2/user', { 'x-request-id': 'trace-1' })).headers['x-request-id']).toBe(
      'trace-1',
    );
    expect((await team.get('/v2/user', { 'x-request-id': 'no good' })).headers['x-request-id']).not.toBe(
      'no good',
    );
  });

  it('is the same with and without a trailing slash', async () => {
    expect((await team.get('/v2/user/')).status).toBe(200);
    expect((await team.get('/v2/user')).status).toBe(200);
  });
});

describe('pages without a key', () => {
  it('report that the service is alive and ready', async () => {
    const nobody = service.client({});
    expect(await nobody.get('/healthz')).toMatchObject({ status: 200 });
    expect(await nobody.get('/readyz')).toMatchObject({ status: 200 });
  });

  it('names the keys and the session that an operation accepts', async () => {
    const { json } = await service.client({}).get('/openapi.json');
    const session = [{ session: [] }];
    const unsafe = [{ session: [], csrfToken: [] }];
    expect(json.paths['/v2/user'].get.security).toEqual([{ teamKey: [] }, ...session]);
    expect(json.paths['/v2/user'].post.security).toEqual([{ teamKey: [] }, ...unsafe]);
    expect(json.paths['/v1/org/{org_id}'].get.security).toEqual([{ managementKey: [] }, ...session]);
    expect(json.paths['/v1/session'].get.security).toEqual(session);
    expect(json.paths['/v1/session'].delete.security).toEqual(unsafe);
    // Said, and not left out: a generated client must not ask for a key here.
    expect(json.paths['/v1/session'].post.security).toEqual([]);
    expect(json.components.securitySchemes.session).toMatchObject({ in: 'cookie', name: 'service-session' });
  });

  it('serve an OpenAPI 3.1 document without dangling references', async () => {
    const { json, text } = await service.client({}).get('/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    const names = new Set(Object.keys(json.components.schemas));
    const pointed = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(pointed.filter((name) => !names.has(name))).toEqual([]);
    expect(text).not.toContain('#/$defs/');
    const ids = Object.values(json.paths).flatMap((path) =>
      Object.values(path as object).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });
});
