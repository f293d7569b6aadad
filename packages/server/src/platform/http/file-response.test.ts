import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { DomainError } from '../errors.ts';
import type { Work } from '../work.ts';
import { pdf } from './file-response.ts';
import { openHttp, type Http } from './http.ts';
import { generateOpenApi } from './openapi.ts';
import type { Authenticator } from './route.ts';

let service: TestService;
let team: TestTeam;
let http: Http;
/** Authenticates every caller as the team. */
const gate: Authenticator = {
  team: async () => ({ tenant: team.tenant, keyId: 'a-key', features: new Set(), mayRead: () => false }),
  management: async () => {
    throw new DomainError('unauthorized', 'Nobody');
  },
};
beforeAll(async () => {
  service = await openTestService();
  team = await service.team();
  http = openHttp(service.app, gate);
  const about = { summary: 'A file', tag: 'Files', response: { 200: pdf() } };
  http.get('/file', {
    schema: { ...about, operationId: 'getFile' },
    handler: async () => ({
      name: 'some-file.pdf',
      render: async () => Buffer.from([0x25, 0x50, 0xff, 0x00]),
    }),
  });
  http.get('/late', {
    schema: { ...about, operationId: 'getLate' },
    handler: async ({ work }) => {
      await ask(work);
      const draw = async () => Buffer.from(await ask(work).then(() => 'inside', String));
      return { name: 'late.pdf', render: draw };
    },
  });
  http.get('/none/:id', {
    schema: { ...about, operationId: 'getNone', params: z.object({ id: z.guid() }) },
    handler: async () => {
      throw new DomainError('not_found', 'File not found');
    },
  });
});
afterAll(async () => {
  await http.server.close();
  await service.close();
});

const ask = ({ tx }: Work) => sql`select 1`.execute(tx);

const get = (url: string) => http.server.inject({ method: 'GET', url });

it('is sent unchanged, with its type and its name', async () => {
  const answer = await get('/file');
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': 'inline; filename="some-file.pdf"',
    'content-length': '4',
  });
  expect([...answer.rawPayload]).toEqual([0x25, 0x50, 0xff, 0x00]);
});

it('is rendered after its transaction', async () => {
  expect((await get('/late')).body).toMatch(/^Error: The work has ended/);
});

it('keeps errors in JSON', async () => {
  const missing = await get('/none/01900000-0000-7000-8000-000000000000');
  expect(missing.statusCode).toBe(404);
  expect(missing.json()).toEqual({ detail: 'File not found' });
  const wrong = await get('/none/x');
  expect(wrong.statusCode).toBe(422);
  expect(wrong.headers['content-type']).toContain('application/json');
});

it('can be the response of a GET only', () => {
  const schema = { operationId: 'postFile', summary: 'A file', tag: 'Files', response: { 200: pdf() } };
  const handler = async () => ({ name: 'x.pdf', render: async () => Buffer.alloc(0) });
  expect(() => http.post('/file', { schema, handler })).toThrow(
    'POST /file: only GET can respond with a file',
  );
});

it('is described in the OpenAPI document as binary', () => {
  const options = {
    brand: 'service',
    title: '',
    description: '',
    version: '1',
    productVersion: '1.0.0',
    serverUrl: 'http://localhost',
    tags: [],
  };
  const document = JSON.parse(JSON.stringify(generateOpenApi(http.routes, options)));
  expect(document.paths['/file'].get.responses['200'].content).toEqual({
    'application/pdf': { schema: { type: 'string', format: 'binary' } },
  });
});
