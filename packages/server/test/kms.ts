import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

export const KMS_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret of the test',
};
const KMS_REGION = 'eu-central-1';
const ARN = `arn:aws:kms:${KMS_REGION}:111122223333:key/`;

interface KmsCall {
  readonly operation: string;
  readonly keyId: string | undefined;
  readonly context: Record<string, string>;
}

/** A local stand-in for AWS KMS: AWS JSON 1.1 with Signature Version 4. */
export interface KmsStandIn {
  readonly url: string;
  /** The accepted calls, in order. */
  readonly calls: KmsCall[];
  /** Creates a key and an alias for it; returns the ARN of the key. */
  createKey(alias?: string): string;
  /** Answers every further call with this error, or normally again. */
  failWith(failure: KmsFailure | undefined): void;
  close(): Promise<void>;
}

interface KmsFailure {
  readonly status: number;
  readonly type: string;
}

const Request = z.object({
  KeyId: z.string().optional(),
  Plaintext: z.base64().optional(),
  CiphertextBlob: z.base64().optional(),
  EncryptionContext: z.record(z.string(), z.string()).default({}),
});
type KmsRequest = z.output<typeof Request>;

class KmsError extends Error {
  readonly failure: KmsFailure;
  constructor(type: string, status = 400) {
    super(type);
    this.failure = { type, status };
  }
}

export async function openKmsStandIn(): Promise<KmsStandIn> {
  const keys = new Map<string, Buffer>();
  const aliases = new Map<string, string>();
  const calls: KmsCall[] = [];
  let failure: KmsFailure | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await bodyOf(request);
    try {
      const fault = findSignatureFault(request, body);
      if (fault !== undefined) throw new KmsError(fault);
      if (failure) throw new KmsError(failure.type, failure.status);
      const operation = String(request.headers['x-amz-target']).replace(/^TrentService\./, '');
      const asked = Request.parse(JSON.parse(body.toString()));
      calls.push({ operation, keyId: asked.KeyId, context: asked.EncryptionContext });
      const arn = aliases.get(asked.KeyId ?? '') ?? asked.KeyId ?? '';
      send(response, 200, operation === 'Encrypt' ? encrypt(keys, arn, asked) : decrypt(keys, arn, asked));
    } catch (error) {
      const { type, status } =
        error instanceof KmsError ? error.failure : { type: 'ValidationException', status: 400 };
      send(response, status, { __type: type, message: `no: ${type}` });
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    createKey: (alias) => {
      const arn = `${ARN}${randomBytes(8).toString('hex')}`;
      keys.set(arn, randomBytes(32));
      if (alias !== undefined) aliases.set(alias, arn);
      return arn;
    },
    failWith: (next) => void (failure = next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

const toAad = (context: Record<string, string>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).toSorted(([a], [b]) => (a < b ? -1 : 1))));

const requireKey = (keys: ReadonlyMap<string, Buffer>, arn: string): Buffer => {
  const key = keys.get(arn);
  if (!key) throw new KmsError('NotFoundException');
  return key;
};

function encrypt(keys: ReadonlyMap<string, Buffer>, arn: string, asked: KmsRequest): object {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', requireKey(keys, arn), nonce);
  cipher.setAAD(toAad(asked.EncryptionContext));
  const body = Buffer.concat([cipher.update(Buffer.from(asked.Plaintext ?? '', 'base64')), cipher.final()]);
  const name = Buffer.from(arn);
  const blob = Buffer.concat([Buffer.of(name.length), name, nonce, cipher.getAuthTag(), body]);
  return { CiphertextBlob: blob.toString('base64'), KeyId: arn, EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
}

function decrypt(keys: ReadonlyMap<string, Buffer>, arn: string, asked: KmsRequest): object {
  const blob = Buffer.from(asked.CiphertextBlob ?? '', 'base64');
  const nameEnd = 1 + (blob[0] ?? 0);
  const wrote = blob.subarray(1, nameEnd).toString();
  if (!keys.has(wrote)) throw new KmsError('InvalidCiphertextException');
  if (arn !== '' && arn !== wrote) throw new KmsError('IncorrectKeyException');
  try {
    const [tagAt, bodyAt] = [nameEnd + 12, nameEnd + 28];
    const key = requireKey(keys, wrote);
    const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(nameEnd, tagAt), {
      authTagLength: 16,
    });
    decipher.setAAD(toAad(asked.EncryptionContext));
    decipher.setAuthTag(blob.subarray(tagAt, bodyAt));
    const plain = Buffer.concat([decipher.update(blob.subarray(bodyAt)), decipher.final()]);
    return { KeyId: wrote, Plaintext: plain.toString('base64'), EncryptionAlgorithm: 'SYMMETRIC_DEFAULT' };
  } catch {
    throw new KmsError('InvalidCiphertextException');
  }
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/kms\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

/** The error type for a request that is not signed as Signature Version 4 requires. */
function findSignatureFault({ headers, method, url }: IncomingMessage, body: Buffer): string | undefined {
  const [, id, day = '', region = '', names = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (signature === undefined) return 'IncompleteSignatureException';
  if (id !== KMS_CREDENTIALS.AWS_ACCESS_KEY_ID) return 'UnrecognizedClientException';
  if (headers['content-type'] !== 'application/x-amz-json-1.1') return 'ValidationException';
  const signed = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const digest = createHash('sha256').update(body).digest('hex');
  const canonical = [method, url, '', signed.join(''), names, digest].join('\n');
  const scope = `${day}/${region}/kms/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const parts = [day, region, 'kms', 'aws4_request'];
  const key = parts.reduce(hmac, Buffer.from(`AWS4${KMS_CREDENTIALS.AWS_SECRET_ACCESS_KEY}`));
  return hmac(key, text).toString('hex') === signature ? undefined : 'InvalidSignatureException';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
