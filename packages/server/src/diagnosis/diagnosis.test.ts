import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createCertificateAuthority } from '../../test/certificates.ts';
import { databaseUrlOf } from '../../test/database-url.ts';
import { withDatabase } from '../../test/database.ts';
import { openS3StandIn, type S3StandIn } from '../../test/s3.ts';
import { openSmtpStandIn, type SmtpStandIn } from '../../test/smtp.ts';
import {
  createBackupStorage,
  createEventDestinations,
  createFileStorage,
  createMailer,
  openKeyProviders,
} from '../compose.ts';
import { ConfigSchema, readConfig } from '../platform/config.ts';
import { openLog } from '../platform/log.ts';
import { describeCertificate } from './certificates.ts';
import { describeSkew } from './database.ts';
import { diagnose, type Finding } from './diagnosis.ts';
import { checkNode, checkReportReader, describeSpace } from './machine.ts';
import { outsideUrls } from './outside.ts';

const root = new URL('../../', import.meta.url);
const GIB = 1024 ** 3;

let folder: string;
let smtp: SmtpStandIn;
let s3: S3StandIn;
let admin: pg.Client;
const databases: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-doctor-'));
  [smtp, s3] = await Promise.all([openSmtpStandIn('secret-word'), openS3StandIn()]);
  admin = new pg.Client(inject('server').connection);
  await admin.connect();
});
afterAll(async () => {
  for (const name of databases) await admin.query(`drop database if exists ${name} with (force)`);
  await admin.end();
  await Promise.all([smtp.close(), s3.close(), rm(folder, { recursive: true })]);
});

async function examine(settings: Record<string, string> = {}): Promise<Finding[]> {
  const config = readConfig({ DATA_DIR: folder, ...settings });
  const findings: Finding[] = [];
  const log = openLog('silent');
  for await (const finding of diagnose({
    config,
    root,
    mailer: createMailer(config, log),
    fileStorage: createFileStorage(config),
    backupStorage: createBackupStorage(config),
    openKeyProviders: () => openKeyProviders(config),
    eventDestinations: createEventDestinations(),
  })) {
    findings.push(finding);
  }
  return findings;
}

const find = (findings: readonly Finding[], subject: string) =>
  findings.find((finding) => finding.subject === subject);

/** A copy of the migrated database, or an empty one. */
async function createDatabase(template?: string): Promise<string> {
  const name = `aliquot_doctor_${process.pid}_${databases.length}`;
  databases.push(name);
  await admin.query(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  const { connection } = inject('server');
  if (connection.connectionString === undefined)
    return databaseUrlOf({ ...connection, database: name } as pg.ClientConfig);
  return String(withDatabase(connection, name).connectionString);
}

describe('A diagnosis', () => {
  it('finds nothing wrong where everything is there, and leaves nothing behind', async () => {
    const findings = await examine({
      DATABASE_URL: await createDatabase(inject('server').template),
      SMTP_URL: smtp.url,
      MAIL_FROM: 'care@clinic.example',
      S3_BUCKET: 'files',
      S3_ENDPOINT: s3.url,
      S3_ACCESS_KEY_ID: 'AKID',
      S3_SECRET_ACCESS_KEY: 'secret',
      EXTRACTOR_URL: new URL('/v1/', s3.url).href,
      EXTRACTOR_MODEL: 'some-model',
    });
    const space = ['disk of DATA_DIR'];
    const wrong = findings.filter(({ state, subject }) => state !== 'ok' && !space.includes(subject));
    expect(wrong.map(({ subject, state }) => [subject, state])).toEqual([['certificate', 'not used']]);
    expect(find(findings, 'database rights')?.detail).toContain('has what the service needs');
    expect(smtp.received).toEqual([]);
    expect([...s3.objects.keys()]).toEqual([]);
    expect(s3.requests.some(({ line }) => line.startsWith('PUT /files/doctor/'))).toBe(true);
  });

  it('says what to do with every warning and problem, and shows no password', async () => {
    const findings = await examine({
      DATABASE_URL: 'postgres://someone:database-word@127.0.0.1:1/nothing',
      SMTP_URL: smtp.url.replace('secret-word', 'wrong-word'),
      MAIL_FROM: 'care@clinic.example',
      S3_BUCKET: 'files',
      S3_ENDPOINT: 'http://127.0.0.1:1/',
      S3_ACCESS_KEY_ID: 'AKID',
      S3_SECRET_ACCESS_KEY: 'storage-word',
      SCHEDULING_QUEST_URL: 'http://127.0.0.1:1/',
      SCHEDULING_QUEST_TOKEN: 'a-token-of-sixteen-letters',
      KEY_PROVIDER: 'file:/nowhere/key',
    });
    const wrong = ['database', 'mail', 'file storage', 'SCHEDULING_QUEST_URL', 'encryption key'];
    for (const subject of wrong) expect(find(findings, subject), subject).toMatchObject({ state: 'problem' });
    for (const { state, advice, subject } of findings)
      expect([subject, advice !== undefined]).toEqual([subject, state === 'warning' || state === 'problem']);
    expect(JSON.stringify(findings)).not.toMatch(/(?:database|wrong|storage)-word|a-token-of/);
  });

  it('tells an empty database, and one of a newer version', async () => {
    const empty = await examine({ DATABASE_URL: await createDatabase() });
    expect(find(empty, 'database schema')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('0001_platform'),
    });
    const url = await createDatabase(inject('server').template);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("insert into kysely_migration (name, timestamp) values ('9999_later', 'now')");
    expect(find(await examine({ DATABASE_URL: url }), 'database schema')).toMatchObject({
      state: 'warning',
      detail: expect.stringContaining('9999_later'),
    });
    await client.query("update schema_version set newest = '999.1.0', minimum = '999.0.0'");
    await client.end();
    expect(find(await examine({ DATABASE_URL: url }), 'database schema')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining('needs at least 999.0.0'),
    });
  });

  it('tells a user of the database who lacks rights', async () => {
    const url = new URL(await createDatabase(inject('server').template));
    const role = `aliquot_doctor_reader_${process.pid}`;
    await admin.query(`create role ${role} login password 'x'`);
    url.username = role;
    url.password = 'x';
    try {
      const { state, detail } = find(await examine({ DATABASE_URL: url.href }), 'database rights') ?? {};
      expect(state).toBe('problem');
      expect(detail).toBe(
        `${role} may not create tables, and may not act as the roles aliquot_tenant and aliquot_system`,
      );
    } finally {
      await admin.query(`drop role ${role}`);
    }
  });

  it('neither starts the embedded database nor makes a key', async () => {
    const findings = await examine();
    expect(find(findings, 'database')).toMatchObject({ state: 'not used' });
    expect(find(findings, 'encryption key')).toMatchObject({ state: 'ok' });
  });

  it('warns where others can read the secrets of the data folder', async () => {
    const file = join(folder, 'credentials.json');
    await writeFile(file, '{}');
    await chmod(file, 0o644);
    expect(find(await examine(), 'secrets')).toMatchObject({ state: 'warning' });
    await chmod(file, 0o600);
    expect(find(await examine(), 'secrets')).toBeUndefined();
    await rm(file);
  });

  it('reads certificates as the service would', async () => {
    const { cert, key } = createCertificateAuthority('Test').issue('api.clinic.example');
    const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    await Promise.all([writeFile(certFile, cert), writeFile(keyFile, key)]);
    const files = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
    const states = async (settings: Record<string, string>) => find(await examine(settings), 'certificate');
    expect(await states({ ...files, PUBLIC_URL: 'https://api.clinic.example' })).toMatchObject({
      state: 'ok',
    });
    expect(await states({ ...files, PUBLIC_URL: 'https://other.example' })).toMatchObject({
      state: 'problem',
    });
    expect(await states({ ...files, TLS_KEY_FILE: certFile })).toMatchObject({ state: 'problem' });
    const certificate = new X509Certificate(cert);
    const at = (days: number) => new Date(new Date(certificate.validTo).getTime() - days * 86_400_000);
    const seen = [30, 10, -1].map((days) =>
      describeCertificate(certificate, { host: undefined, now: at(days) }),
    );
    expect(seen.map(({ state }) => state)).toEqual(['ok', 'warning', 'problem']);
  });
});

describe('A limit of a diagnosis', () => {
  it.each([
    ['free space', [6, 2, 0.1].map((gib) => describeSpace('DATA_DIR', gib * GIB))],
    ['clock skew', [1_000, -5_000, 40_000].map((skew) => describeSkew(skew, 0))],
  ])('of %s: ok, warning, problem', (_what, findings) => {
    expect(findings.map(({ state }) => state)).toEqual(['ok', 'warning', 'problem']);
  });

  it('of clock skew counts only what the round trip leaves no doubt of', () => {
    expect(describeSkew(40_000, 39_000).state).toBe('ok');
  });

  it.each([
    ['18.20.0', 'problem'],
    ['20.18.9', 'problem'],
    ['20.19.0', 'ok'],
    ['24.1.0', 'ok'],
  ])('of Node.js: %s is %s', (version, state) => {
    expect(checkNode(version).state).toBe(state);
  });

  it.each([
    ['ok', '1.2.3', 'all'],
    ['problem', '1.2.2', 'all'],
    ['warning', undefined, 'worker'],
    ['not used', undefined, 'api'],
  ] as const)('finds %s a report reader of version %s for a process with ROLE=%s', (state, version, role) => {
    const installed = version === undefined ? undefined : { version };
    const finding = checkReportReader(installed, { own: '1.2.3', role });
    expect(finding.state).toBe(state);
    const needsAdvice = state === 'problem' || state === 'warning';
    expect(
      finding.advice?.includes('npm install --ignore-scripts aliquot-report-reader@1.2.3') ?? false,
    ).toBe(needsAdvice);
  });

  it('knows every setting that names a server of others', () => {
    const others = Object.keys(ConfigSchema.shape).filter((name) => name.endsWith('_URL'));
    const own = ['DATABASE_URL', 'PUBLIC_URL', 'DASHBOARD_URL', 'SMTP_URL'];
    const all = Object.fromEntries(others.map((name) => [name, 'https://x.example/']));
    const config = { ...readConfig({}), ...all, COURIER: 'easypost' } as const;
    expect(
      outsideUrls(config)
        .map(([setting]) => setting)
        .toSorted(),
    ).toEqual(others.filter((name) => !own.includes(name)).toSorted());
  });
});
