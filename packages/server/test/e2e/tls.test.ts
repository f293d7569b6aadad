import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Agent, request } from 'undici';
import { createCertificateAuthority } from '../certificates.ts';
import { openMachine, type TestMachine } from './process.ts';

let machine: TestMachine;
beforeAll(async () => {
  machine = await openMachine();
});
afterAll(() => machine.close());

it(
  'serves HTTPS by itself, takes a renewed certificate, and its commands find it',
  { timeout: 120_000 },
  async () => {
    const authority = createCertificateAuthority('Of the clinic');
    const settings = {
      TLS_CERT_FILE: join(machine.folder, 'tls.crt'),
      TLS_KEY_FILE: join(machine.folder, 'tls.key'),
    };
    const renew = async () => {
      const issued = authority.issue('localhost');
      await writeFile(settings.TLS_KEY_FILE, issued.key);
      await writeFile(settings.TLS_CERT_FILE, issued.cert);
    };
    await renew();
    const started = machine.run(['serve'], { PORT: '0', ...settings });
    const [, port = ''] = await started.waitForOutput(/"url":"https:[^"]+:(\d+)".*"msg":"serving"/);
    const ask = async (url: string) => {
      const dispatcher = new Agent({ connect: { ca: authority.cert } });
      const { statusCode, headers } = await request(url, { dispatcher });
      await dispatcher.destroy();
      return { statusCode, hsts: headers['strict-transport-security'] };
    };
    expect(await ask(`https://localhost:${port}/openapi.json`)).toEqual({
      statusCode: 200,
      hsts: expect.stringContaining('max-age='),
    });
    expect((await ask(`http://localhost:${port}/openapi.json`)).statusCode).toBe(400);

    const keys = () => machine.run(['keys', 'list'], { ...settings, PORT: port }).ended;
    expect(await keys()).toMatchObject({ code: 0, stdout: expect.stringContaining('sandbox') });
    await renew();
    await started.waitForOutput(/"msg":"the TLS certificate was replaced"/);
    expect(await keys()).toMatchObject({ code: 0, stdout: expect.stringContaining('sandbox') });
  },
);
