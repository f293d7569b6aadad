import { mkdtemp, readlink, rename, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { connect as connectTcp, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../../../test/certificates.ts';
import { openTestService, type TestService } from '../../../test/service.ts';
import { openLog } from '../log.ts';
import { readConfig } from '../config.ts';
import { readCertificate, startCertificateReloader } from './tls-certificate.ts';

const authority = createCertificateAuthority('Tests');
const [first, second] = [authority.issue('localhost'), authority.issue('localhost')];
let folder: string;
let service: TestService;
let port: number;

const pathOf = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-tls-'));
  await writeFile(pathOf('tls.crt'), first.cert);
  await writeFile(pathOf('tls.key'), first.key);
  service = await openTestService({ TLS_CERT_FILE: pathOf('tls.crt'), TLS_KEY_FILE: pathOf('tls.key') });
  await service.http.server.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = service.http.server.server.address() as AddressInfo);
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

const callHttps = (path: string) =>
  new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]> }>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, ca: authority.cert, servername: 'localhost' };
    httpsRequest(options, (answer) => {
      answer.resume().on('end', () => resolve({ status: answer.statusCode, headers: answer.headers }));
    })
      .on('error', reject)
      .end();
  });

/** The bytes that the server answers to these bytes, without TLS. */
const sendPlain = (bytes: string) =>
  new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => (text += data.toString())).on('end', () => resolve(text));
    socket.on('error', reject);
  });

/** The protocol of a handshake with at most this version; the code of the error where there is none. */
const handshake = (maxVersion: SecureVersion) =>
  new Promise<string | null | undefined>((resolve) => {
    const minVersion = 'TLSv1' as const;
    const options = { host: '127.0.0.1', port, ca: authority.cert, servername: 'localhost' };
    // Security level 0, so that it is the server that refuses old versions.
    const socket = connectTls({ ...options, minVersion, maxVersion, ciphers: 'ALL:@SECLEVEL=0' }, () => {
      resolve(socket.getProtocol());
      socket.destroy();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });

describe('the HTTPS server', () => {
  it('serves with HSTS, and makes its own URLs https', async () => {
    const { status, headers } = await callHttps('/healthz');
    expect([status, headers['strict-transport-security']]).toEqual([200, 'max-age=63072000']);
    expect((await callHttps('/v2/user')).status).toBe(401);
    const team = await service.team();
    const made = await team.post('/v2/link/token', { user_id: await team.user() });
    expect(made.json.link_web_url).toMatch(/^https:\/\//);
  });

  it('answers plain HTTP with a 400 that says what to do', async () => {
    const [head = '', body = ''] = (await sendPlain('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')).split(
      '\r\n\r\n',
    );
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(body)).toEqual({ detail: 'This port expects HTTPS: use https:// instead of http://' });
  });

  it('accepts TLS 1.2 and 1.3 only', async () => {
    expect(await handshake('TLSv1.3')).toBe('TLSv1.3');
    expect(await handshake('TLSv1.2')).toBe('TLSv1.2');
    expect(await handshake('TLSv1.1')).toMatch(/^ERR_SSL|ECONNRESET/);
  });
});

describe('the certificate', () => {
  /** What a reloader of files in a folder of their own serves. */
  async function reloading() {
    const own = await mkdtemp(pathOf('pair-'));
    const files = {
      certFile: join(own, 'tls.crt'),
      keyFile: join(own, 'tls.key'),
      minVersion: 'TLSv1.2' as const,
    };
    const write = async (pair: { cert: string; key: string }, to = own) => {
      await writeFile(join(to, 'tls.crt'), pair.cert);
      await writeFile(join(to, 'tls.key'), pair.key);
    };
    await write(first);
    const served: unknown[] = [];
    const start = () => {
      const server = { setSecureContext: ({ cert }: { cert?: unknown }) => void served.push(cert) };
      return startCertificateReloader(server, files, {
        log: openLog('silent'),
        served: readCertificate(files),
      });
    };
    return { own, files, write, served, start };
  }

  it('is replaced when the files are', async () => {
    const { write, served, start } = await reloading();
    const reloader = start();
    reloader.reload();
    expect(served).toEqual([]);
    await write(second);
    reloader.reload();
    reloader.reload();
    expect(served).toEqual([second.cert]);
    reloader.stop();
  });

  it('stays while only one file is replaced, half of one is written, or one is gone', async () => {
    const { files, write, served, start } = await reloading();
    const reloader = start();
    await writeFile(files.certFile, second.cert);
    reloader.reload();
    await writeFile(files.keyFile, second.key.slice(0, 60));
    reloader.reload();
    await rm(files.keyFile);
    reloader.reload();
    expect(served).toEqual([]);
    await write(second);
    reloader.reload();
    expect(served).toEqual([second.cert]);
    reloader.stop();
  });

  it('follows symlinks that are swapped, as those of Kubernetes secrets are', async () => {
    const { own, files, write, served, start } = await reloading();
    for (const [name, pair] of [
      ['..v1', first],
      ['..v2', second],
    ] as const) {
      await mkdir(join(own, name));
      await write(pair, join(own, name));
    }
    await symlink('..v1', join(own, '..data'));
    for (const name of ['tls.crt', 'tls.key']) {
      await rm(join(own, name));
      await symlink(join('..data', name), join(own, name));
    }
    const reloader = start();
    await symlink('..v2', join(own, '..data_tmp'));
    await rename(join(own, '..data_tmp'), join(own, '..data'));
    expect(await readlink(files.certFile)).toBe(join('..data', 'tls.crt'));
    reloader.reload();
    expect(served).toEqual([second.cert]);
    reloader.stop();
  });

  it('is refused at the start with the name of the file', async () => {
    const { files } = await reloading();
    await writeFile(files.keyFile, second.key);
    expect(() => readCertificate(files)).toThrow(
      /TLS_KEY_FILE .*expected the private key of the certificate/,
    );
    await writeFile(files.certFile, 'nothing');
    expect(() => readCertificate(files)).toThrow(/TLS_CERT_FILE .*expected a certificate in PEM/);
  });

  it.each([
    [{ TLS_CERT_FILE: 'a' }, /TLS_KEY_FILE: expected, because TLS_CERT_FILE is set/],
    [{ TLS_KEY_FILE: 'a' }, /TLS_CERT_FILE: expected, because TLS_KEY_FILE is set/],
    [
      { TLS_CERT_FILE: 'a', TLS_KEY_FILE: 'b', PUBLIC_URL: 'http://api.example.com' },
      /PUBLIC_URL: expected an https URL/,
    ],
  ])('is not configured with %o', (settings, message) => {
    expect(() => readConfig(settings)).toThrow(message);
  });
});
