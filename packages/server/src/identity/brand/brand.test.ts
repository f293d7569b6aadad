import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { jpegLogo, openImageServer, pngLogo, webpLogo } from '../../../test/logos.ts';
import { joinOrganization, signedIn } from '../../../test/members.ts';
import { createLatch } from '../../../test/receiver.ts';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { inTenant } from '../../app.ts';
import { HOUR, MINUTE } from '../../platform/clock.ts';
import { readBrandWithLogo } from './brand.ts';

const LOGO = '/v1/brand/logo';

/** The answer of the logo's host: a status, a body, a redirect. */
interface HostAnswer {
  readonly status?: number;
  readonly body?: Buffer | string;
  readonly location?: string;
}

let service: TestService;
let host: Awaited<ReturnType<typeof openImageServer>>;
let answers: Record<string, HostAnswer>;
let requested: string[];
beforeAll(async () => {
  host = await openImageServer((request, response) => {
    requested.push(request.url ?? '');
    const { status = 200, body = '', location } = answers[request.url ?? ''] ?? { status: 404 };
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  service = await openTestService();
});
afterAll(async () => {
  await service.close();
  await host.close();
});
beforeEach(() => {
  answers = {};
  requested = [];
});

async function setLogoUrl(team: TestTeam, url: string | null): Promise<void> {
  const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
  const changed = await team.management.patch(path, { [team.tenant.environment]: { logo_url: url } });
  expect(changed.status).toBe(200);
  await service.settle();
}

/** Uploads bytes as the whole body. */
async function upload(team: TestTeam, bytes: Buffer, type = 'image/png') {
  const headers = { 'x-service-api-key': team.key, 'content-type': type };
  const answer = await service.http.server.inject({ method: 'POST', url: LOGO, headers, payload: bytes });
  return { status: answer.statusCode, json: answer.json() };
}

const logoOf = async (team: TestTeam) => (await team.get(LOGO)).json;
const brandOf = (team: TestTeam) => inTenant(service.app, team.tenant, readBrandWithLogo);

describe('the logo of logo_url', () => {
  it.each([
    ['PNG', 'image/png', pngLogo()],
    ['JPEG', 'image/jpeg', jpegLogo()],
    ['WebP', 'image/webp', webpLogo()],
  ])('is fetched after the setting has changed: %s', async (_type, mediaType, bytes) => {
    const team = await service.team();
    answers['/logo'] = { body: bytes };
    await setLogoUrl(team, `${host.url}/logo`);
    expect(await logoOf(team)).toMatchObject({
      state: 'stored',
      source: 'url',
      url: `${host.url}/logo`,
      media_type: mediaType,
      size: bytes.length,
      attempts: 1,
      failure: null,
    });
    expect((await brandOf(team)).logo).toMatchObject({ mediaType, bytes });
    const image = await team.get(`${LOGO}/image`);
    expect(image.headers).toMatchObject({ 'content-type': mediaType, 'x-content-type-options': 'nosniff' });
  });

  it('is fetched once, and again only when the setting changes', async () => {
    const team = await service.team();
    answers['/one'] = { body: pngLogo() };
    answers['/two'] = { body: jpegLogo() };
    await setLogoUrl(team, `${host.url}/one`);
    await setLogoUrl(team, `${host.url}/one`);
    await setLogoUrl(team, `${host.url}/two`);
    expect(requested).toEqual(['/one', '/two']);
    expect((await logoOf(team)).media_type).toBe('image/jpeg');
    await setLogoUrl(team, null);
    expect(await logoOf(team)).toMatchObject({ state: 'none', source: null });
    expect((await brandOf(team)).logo).toBeUndefined();
  });

  it('is fetched for a team that is created with it', async () => {
    const team = await service.team();
    answers['/new'] = { body: pngLogo() };
    await team.management.post(`/v1/org/${team.orgId}/team`, {
      name: 'New',
      region: 'us',
      logo_url: `${host.url}/new`,
    });
    await service.settle();
    // Production accepts https only, so only the sandbox asks.
    expect(requested).toEqual(['/new']);
  });

  it('follows redirects, at most three', async () => {
    const team = await service.team();
    answers['/a'] = { status: 302, location: '/b' };
    answers['/b'] = { status: 301, location: `${host.url}/c` };
    answers['/c'] = { body: pngLogo() };
    await setLogoUrl(team, `${host.url}/a`);
    expect((await logoOf(team)).state).toBe('stored');
    answers['/loop'] = { status: 302, location: '/loop' };
    await setLogoUrl(team, `${host.url}/loop`);
    expect(await logoOf(team)).toMatchObject({
      state: 'failed',
      failure: expect.stringContaining('redirects'),
    });
  });

  it('is tried again with growing delays, and stored when the host answers', async () => {
    const team = await service.team();
    answers['/late'] = { status: 503 };
    await setLogoUrl(team, `${host.url}/late`);
    const failed = await logoOf(team);
    expect(failed).toMatchObject({ state: 'waiting', attempts: 1 });
    expect(failed.failure).toBe('The server answered with the status 503');
    service.clock.move(MINUTE);
    await service.settle();
    expect(await logoOf(team)).toMatchObject({ state: 'waiting', attempts: 2 });
    answers['/late'] = { body: pngLogo() };
    service.clock.move(5 * MINUTE);
    await service.settle();
    expect(await logoOf(team)).toMatchObject({ state: 'stored', attempts: 3, failure: null });
  });

  it('fails after a day, and is fetched again on request', async () => {
    const team = await service.team();
    await setLogoUrl(team, `${host.url}/missing`);
    for (let hours = 0; hours < 24; hours += 1) {
      service.clock.move(HOUR);
      await service.settle();
    }
    expect(await logoOf(team)).toMatchObject({ state: 'failed', attempts: 7, next_attempt_at: null });
    answers['/missing'] = { body: pngLogo() };
    await team.delete(LOGO);
    await service.settle();
    expect(await logoOf(team)).toMatchObject({ state: 'stored', attempts: 1 });
  });

  it.each<[string, HostAnswer, string]>([
    ['an SVG', { body: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>' }, 'another type'],
    ['a page', { body: '<!doctype html><p>Sign in</p>' }, 'another type'],
    [
      'more than 512 KB',
      { body: Buffer.concat([pngLogo(), Buffer.alloc(512 * 1024)]) },
      'larger than 512 KB',
    ],
    ['a PNG without its end', { body: pngLogo().subarray(0, 80) }, 'damaged'],
    [
      'a redirect to a private address',
      { status: 302, location: 'http://10.0.0.1/logo.png' },
      'private address',
    ],
    [
      'a redirect to a metadata service',
      { status: 302, location: 'http://169.254.169.254/' },
      'private address',
    ],
    ['a redirect to another scheme', { status: 302, location: 'file:///etc/passwd' }, 'URL'],
    ['a redirect with a password', { status: 302, location: 'http://a:b@127.0.0.1/' }, 'without user name'],
  ])('is refused for good: %s', async (_what, answer, failure) => {
    const team = await service.team();
    answers['/bad'] = answer;
    await setLogoUrl(team, `${host.url}/bad`);
    const logo = await logoOf(team);
    expect(logo).toMatchObject({ state: 'failed', attempts: 1, next_attempt_at: null, media_type: null });
    expect(logo.failure).toContain(failure);
    expect((await team.get(`${LOGO}/image`)).status).toBe(404);
  });

  it('asks no private address, and in production only https', async () => {
    const team = await service.team();
    await setLogoUrl(team, 'https://192.168.1.1/logo.png');
    expect((await logoOf(team)).failure).toBe('The URL leads to a private address');
    const live = await service.team('production');
    await setLogoUrl(live, `${host.url}/logo`);
    expect((await logoOf(live)).failure).toBe('Expected an https URL');
    await setLogoUrl(live, host.url.replace('http:', 'https:'));
    expect((await logoOf(live)).failure).toBe('The URL leads to a private address');
    expect(requested).toEqual([]);
  });

  it('is not stored when the setting changes while it is fetched', async () => {
    const team = await service.team();
    const latch = createLatch();
    const asked = createLatch();
    const slow = await openImageServer((_request, response) => {
      asked.release();
      void latch.released.then(() => response.end(pngLogo()));
    });
    const path = `/v1/org/${team.orgId}/team/${team.tenant.teamId}`;
    await team.management.patch(path, { sandbox: { logo_url: slow.url } });
    await asked.released;
    await team.management.patch(path, { sandbox: { logo_url: null } });
    latch.release();
    await service.settle();
    expect((await logoOf(team)).state).toBe('none');
    await slow.close();
  });
});

describe('an uploaded logo', () => {
  it('replaces the one of logo_url until that changes, and is deleted', async () => {
    const team = await service.team();
    answers['/logo'] = { body: pngLogo() };
    await setLogoUrl(team, `${host.url}/logo`);
    expect(await upload(team, jpegLogo())).toMatchObject({
      status: 200,
      json: { source: 'upload', url: null },
    });
    await setLogoUrl(team, `${host.url}/logo`);
    expect(await logoOf(team)).toMatchObject({ source: 'upload', media_type: 'image/jpeg' });
    await team.delete(LOGO);
    await service.settle();
    expect(await logoOf(team)).toMatchObject({ source: 'url', state: 'stored', media_type: 'image/png' });
    await upload(team, webpLogo(), 'text/plain');
    await setLogoUrl(team, null);
    expect(await logoOf(team)).toMatchObject({ source: 'upload', media_type: 'image/webp' });
    await team.delete(LOGO);
    expect(await logoOf(team)).toMatchObject({ state: 'none' });
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 400],
    ['a PNG without its end', pngLogo().subarray(0, 90), 400],
    ['an empty body', Buffer.alloc(0), 400],
    ['too many pixels', pngLogo({ width: 2000, height: 600 }), 400],
    ['too many bytes', Buffer.concat([pngLogo(), Buffer.alloc(512 * 1024)]), 413],
  ])('is refused: %s', async (_what, bytes, status) => {
    const team = await service.team();
    expect((await upload(team, bytes)).status).toBe(status);
    expect((await logoOf(team)).state).toBe('none');
  });

  it('is stored encrypted, seen by its team only, and deleted with the team', async () => {
    const [team, other] = [await service.team(), await service.team()];
    await upload(team, pngLogo());
    const read = async () =>
      (
        await service.ownerPool.query('select content from brand_logo where team_id = $1', [
          team.tenant.teamId,
        ])
      ).rows;
    const [row] = await read();
    expect(row.content.includes(Buffer.from('IHDR'))).toBe(false);
    expect((await logoOf(other)).state).toBe('none');
    expect((await other.get(`${LOGO}/image`)).status).toBe(404);
    await other.delete(LOGO);
    expect((await logoOf(team)).state).toBe('stored');
    await team.management.delete(`/v1/org/${team.orgId}/team/${team.tenant.teamId}`);
    expect(await read()).toEqual([]);
  });

  it('is changed by administrators and read by every member', async () => {
    const team = await service.team();
    await upload(team, pngLogo());
    const headers = { 'x-service-team-id': team.tenant.teamId, 'x-service-environment': 'sandbox' };
    for (const [role, status] of [
      ['developer', 403],
      ['readonly', 403],
      ['administrator', 200],
    ] as const) {
      const roles = [{ role, team_id: team.tenant.teamId }];
      const id = await joinOrganization(service, team, {
        email: `${role}@brand.example`,
        role: 'no_role',
        roles,
      });
      const client = await signedIn(service, id);
      expect((await client.get(LOGO, headers)).json.state).toBe('stored');
      expect((await client.delete(LOGO, headers)).status).toBe(status);
    }
  });
});
