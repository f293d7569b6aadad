import { describe, expect, it } from 'vitest';
import { versionOf } from '../src/platform/version.ts';
import { useTestService } from './service-hooks.ts';

const service = useTestService({ PUBLIC_URL: 'https://api.example.com/lab' });

/** What Chromium sends when an address is opened. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const PRODUCT = versionOf(new URL('../', import.meta.url));
const links = {
  dashboard: 'https://api.example.com/lab/dashboard',
  reference: 'https://api.example.com/lab/reference',
  openapi: 'https://api.example.com/lab/openapi.json',
  asyncapi: 'https://api.example.com/lab/asyncapi.json',
};

describe('the page at /', () => {
  it('says in a browser what this is, where to go and which two commands come next', async () => {
    const { status, headers, text } = await service.client({ accept: BROWSER }).get('/');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'accept' });
    expect(text).toContain(`<h1>Aliquot ${PRODUCT}</h1>`);
    for (const link of Object.values(links)) expect(text).toContain(`href="${new URL(link).pathname}"`);
    expect([...text.matchAll(/<pre><code>([^<]+)</g)].map(([, command]) => command)).toEqual([
      'npx aliquot demo',
      'curl https://api.example.com/lab/v3/lab_tests -H &quot;x-service-api-key: $TEAM_KEY&quot;',
    ]);
  });

  it('allows nothing but its own style sheet', async () => {
    const { headers, text } = await service.client({ accept: BROWSER }).get('/');
    const policy = String(headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:;/);
    expect(text).not.toMatch(/<script|style=|src=/);
  });

  it.each([undefined, '*/*', 'application/json', 'application/json, text/html;q=0.5'])(
    'is the same links as JSON for a program that accepts %s',
    async (accept) => {
      const { status, json } = await service.client(accept === undefined ? {} : { accept }).get('/');
      expect(status).toBe(200);
      expect(json).toEqual({ name: 'Aliquot', version: PRODUCT, key_header: 'x-service-api-key', ...links });
    },
  );
});
