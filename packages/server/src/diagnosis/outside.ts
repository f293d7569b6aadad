import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import type { Config } from '../platform/config.ts';
import { encryptionKeyPath } from '../platform/crypto/encryption-key.ts';
import type { FileStorage } from '../adapters/file-storage/port.ts';
import { reasonOf, type Check, type Finding } from './finding.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export const outsideChecks: readonly Check[] = [
  {
    subject: 'encryption key',
    run: async ({ config, openKeyProviders }) => {
      const advice = 'Check KEY_PROVIDER and its settings: without its key the service does not start.';
      return [
        await attempt('encryption key', advice, async () => {
          // Made by the first start, not by a look.
          if (isFirstStart(config)) return 'the first start makes one in DATA_DIR';
          const { provider } = await openKeyProviders();
          await provider.check();
          return `${provider.name} answers`;
        }),
      ];
    },
  },
  {
    subject: 'mail',
    run: async ({ config, mailer }) => [
      config.SMTP_URL === undefined
        ? { subject: 'mail', state: 'not used', detail: 'without SMTP_URL no e-mail is sent' }
        : await attempt('mail', MAIL_ADVICE, async () => {
            await mailer.verify();
            return `${hostOf(config.SMTP_URL ?? '')} accepts the sign-in`;
          }),
    ],
  },
  {
    subject: 'file storage',
    run: async ({ config, fileStorage }) => [
      await attempt('file storage', STORAGE_ADVICE, () => tryStorage(fileStorage, config.S3_BUCKET)),
    ],
  },
  {
    subject: 'backup storage',
    run: async ({ config, backupStorage }) =>
      config.BACKUP_FOLDER === undefined
        ? []
        : [
            await attempt('backup storage', 'Give the service write access to BACKUP_FOLDER.', () =>
              tryStorage(backupStorage, undefined),
            ),
          ],
  },
  { subject: 'outside services', run: ({ config }) => Promise.all(outsideUrls(config).map(checkUrl)) },
];

const MAIL_ADVICE = 'Check host, port, user and password of SMTP_URL; nothing was sent.';
const STORAGE_ADVICE =
  'Check S3_BUCKET, S3_ENDPOINT, S3_REGION and the keys (put, get, list and delete objects), or the rights of DATA_DIR/files.';

export const isFirstStart = (config: Config): boolean =>
  config.KEY_PROVIDER === undefined &&
  config.ENCRYPTION_KEY === undefined &&
  !existsSync(encryptionKeyPath(config));

async function attempt(subject: string, advice: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { subject, state: 'ok', detail: await look() };
  } catch (error) {
    return { subject, state: 'problem', detail: reasonOf(error), advice };
  }
}

/** Stores a file without content of anybody, reads it and removes it. */
async function tryStorage(storage: FileStorage, bucket: string | undefined): Promise<string> {
  const key = `doctor/${randomUUID()}`;
  const text = 'aliquot doctor';
  try {
    await storage.put(key, piecesOf(text));
    const pieces: Buffer[] = [];
    for await (const piece of storage.get(key)) pieces.push(piece);
    if (Buffer.concat(pieces).toString() !== text) throw new Error('A stored file came back changed');
  } finally {
    await storage.remove(key);
  }
  return bucket === undefined
    ? 'a folder; stores, reads and removes'
    : `bucket ${bucket}; stores, reads and removes`;
}

async function* piecesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/** The servers of others that the configuration names, if the service would call them. */
export const outsideUrls = (config: Config): (readonly [setting: string, url: string])[] => {
  const all: readonly (readonly [string, string | undefined])[] = [
    ['EASYPOST_URL', config.COURIER === 'easypost' ? config.EASYPOST_URL : undefined],
    ['SCHEDULING_QUEST_URL', config.SCHEDULING_QUEST_URL],
    ['SCHEDULING_SONORA_QUEST_URL', config.SCHEDULING_SONORA_QUEST_URL],
    ['SCHEDULING_GETLABS_URL', config.SCHEDULING_GETLABS_URL],
    ['SCHEDULING_PHLEBFINDERS_URL', config.SCHEDULING_PHLEBFINDERS_URL],
    ['EXTRACTOR_URL', config.EXTRACTOR_URL],
  ];
  return all.flatMap(([setting, url]) => (url === undefined ? [] : [[setting, url] as const]));
};

/** Only whether a connection opens: a request could cost or change something. */
async function checkUrl([setting, url]: readonly [string, string]): Promise<Finding> {
  const advice = `Check ${setting}, DNS and the firewall between this machine and that server.`;
  return attempt(setting, advice, async () => {
    const { hostname, port, protocol } = new URL(url);
    await openConnection(hostname.replace(/^\[|\]$/g, ''), Number(port || (protocol === 'http:' ? 80 : 443)));
    return `${hostOf(url)} accepts connections`;
  });
}

const hostOf = (url: string): string => new URL(url).host;

function openConnection(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: CONNECT_TIMEOUT_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} did not answer within 5 s`)));
    socket.once('error', reject);
  });
}
