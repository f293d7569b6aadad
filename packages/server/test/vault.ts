import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto';
import {
  createServer as createHttp,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttps, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A local stand-in for HashiCorp Vault: the Transit secrets engine and the AppRole authentication. */
export interface VaultStandIn {
  readonly url: string;
  /** The path of every request below /v1/, with its namespace if it names one. */
  readonly requests: string[];
  readonly tokens: Set<string>;
  readonly roleId: string;
  readonly secretId: string;
  isSealed: boolean;
  /** The lease of tokens that AppRole issues, in seconds. */
  leaseSeconds: number;
  createKey(name: string, type?: string): void;
  /** Adds a version, which encrypts from then on. */
  rotateKey(name: string): void;
  close(): Promise<void>;
}

interface TransitKey {
  readonly type: string;
  readonly versions: Buffer[];
}

class VaultError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function openVaultStandIn(tls?: ServerOptions): Promise<VaultStandIn> {
  const keys = new Map<string, TransitKey>();
  const vault = {
    requests: [] as string[],
    tokens: new Set(['root']),
    roleId: randomUUID(),
    secretId: randomUUID(),
    isSealed: false,
    leaseSeconds: 3600,
    createKey: (name: string, type = 'aes256-gcm96') =>
      void keys.set(name, { type, versions: [randomBytes(32)] }),
    rotateKey: (name: string) => void keys.get(name)?.versions.push(randomBytes(32)),
  };
  const listener: RequestListener = (request, response) =>
    void bodyOf(request).then((body) => {
      try {
        send(response, 200, answer(vault, keys, { request, body }));
      } catch (error) {
        const [status, text] =
          error instanceof VaultError ? [error.status, error.message] : [500, 'internal error'];
        send(response, status, { errors: text === '' ? [] : [text] });
      }
    });
  const server = tls ? createHttps(tls, listener) : createHttp(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;
  return Object.assign(vault, {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

interface VaultExchange {
  readonly request: IncomingMessage;
  readonly body: Record<string, string>;
}

type VaultState = Omit<VaultStandIn, 'url' | 'close'>;

function answer(vault: VaultState, keys: Map<string, TransitKey>, { request, body }: VaultExchange): object {
  const path = (request.url ?? '').replace(/^\/v1\//, '');
  const namespace = request.headers['x-vault-namespace'];
  vault.requests.push(namespace === undefined ? path : `${String(namespace)}:${path}`);
  if (vault.isSealed) throw new VaultError(503, 'Vault is sealed');
  if (path === 'auth/approle/login') return logIn(vault, body);
  if (!vault.tokens.has(String(request.headers['x-vault-token'])))
    throw new VaultError(403, 'permission denied');
  const [mount, operation = '', name = ''] = path.split('/');
  if (mount !== 'transit')
    throw new VaultError(404, `no handler for route "${path}". route entry not found.`);
  const key = keys.get(name);
  if (operation === 'keys') {
    if (!key) throw new VaultError(404, '');
    const { type, versions } = key;
    const data = { name, type, derived: false, supports_encryption: true, latest_version: versions.length };
    return { data };
  }
  if (!key) throw new VaultError(400, 'encryption key not found');
  if (operation === 'encrypt') return { data: encrypt(key, Buffer.from(body['plaintext'] ?? '', 'base64')) };
  const plain = decrypt(key, body['ciphertext'] ?? '');
  if (operation === 'decrypt') return { data: { plaintext: plain.toString('base64') } };
  if (operation === 'rewrap') return { data: encrypt(key, plain) };
  throw new VaultError(404, 'unsupported path');
}

function logIn(vault: VaultState, body: Record<string, string>): object {
  if (body['role_id'] !== vault.roleId || body['secret_id'] !== vault.secretId)
    throw new VaultError(400, 'invalid role or secret ID');
  const token = `hvs.${randomUUID()}`;
  vault.tokens.add(token);
  return { auth: { client_token: token, lease_duration: vault.leaseSeconds, renewable: true } };
}

function encrypt({ versions }: TransitKey, plain: Buffer): object {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', versions.at(-1) ?? '', nonce);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  const bytes = Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64');
  return { ciphertext: `vault:v${versions.length}:${bytes}`, key_version: versions.length };
}

function decrypt({ versions }: TransitKey, ciphertext: string): Buffer {
  const [, version, text = ''] = /^vault:v(\d+):(.+)$/.exec(ciphertext) ?? [];
  if (version === undefined) throw new VaultError(400, 'invalid ciphertext: no prefix');
  const key = versions[Number(version) - 1];
  if (!key) throw new VaultError(400, 'invalid ciphertext: version is too new');
  const bytes = Buffer.from(text, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
    decipher.setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
  } catch {
    throw new VaultError(400, 'cipher: message authentication failed');
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return pieces.length === 0 ? {} : JSON.parse(Buffer.concat(pieces).toString());
}
