import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { createCertificateAuthority } from '../../test/certificates.ts';
import { pinCertificate } from './own-certificate.ts';

it('connects to a server with the certificate in the file, and to no other', async () => {
  const authority = createCertificateAuthority('Nobody knows it');
  const [own, other] = [authority.issue('api.example.com'), authority.issue('api.example.com')];
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-certificate-'));
  const server = createServer(own, (_request, response) => response.end('here'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const file = join(folder, 'tls.crt');
  const ask = async ({ cert }: { cert: string }) => {
    await writeFile(file, cert);
    const dispatcher = await pinCertificate(file);
    try {
      const headers = { connection: 'close' };
      const texts = [];
      for (let connections = 0; connections < 3; connections += 1)
        texts.push(await (await request(url, { dispatcher, headers })).body.text());
      return texts;
    } finally {
      await dispatcher.destroy();
    }
  };
  expect(await ask(own)).toEqual(['here', 'here', 'here']);
  await expect(ask(other)).rejects.toThrow(`does not have the certificate in ${file}`);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
