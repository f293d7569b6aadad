import type * as S3 from '@aws-sdk/client-s3';
import { NoSuchFile, type FileStorage } from './port.ts';

export interface S3Place {
  readonly bucket: string;
  readonly region: string;
  /** Of a service that speaks the same protocol; AWS without it. */
  readonly endpoint?: string;
  /** Before every key, as `aliquot/`; may be empty. */
  readonly prefix: string;
  /** Where the official client looks by itself without them: environment, profile, role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

type Library = typeof S3;
type S3Client = S3.S3Client;

/** A bucket of S3, or of a service that speaks its protocol. The client is loaded when the first file comes. */
export function s3Storage({ bucket, prefix, ...place }: S3Place): FileStorage {
  let loading: Promise<{ library: Library; client: S3Client }> | undefined;
  const s3 = () => (loading ??= connect(place));
  const named = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  return {
    put: async (key, pieces) => {
      const { library, client } = await s3();
      // The protocol wants to know the length before the first byte. An upload is bounded, and sealed already.
      const all: Buffer[] = [];
      for await (const piece of pieces) all.push(piece);
      const ContentType = 'application/octet-stream';
      await client.send(
        new library.PutObjectCommand({ ...named(key), Body: Buffer.concat(all), ContentType }),
      );
    },
    get: (key) => read(s3, named(key), key),
    remove: async (key) => {
      const { library, client } = await s3();
      await client.send(new library.DeleteObjectCommand(named(key)));
    },
  };
}

async function* read(
  s3: () => Promise<{ library: Library; client: S3Client }>,
  named: { Bucket: string; Key: string },
  key: string,
): AsyncGenerator<Buffer> {
  const { library, client } = await s3();
  const answer = await client.send(new library.GetObjectCommand(named)).catch((error: unknown) => {
    throw error instanceof library.NoSuchKey ? new NoSuchFile(key) : error;
  });
  const body = answer.Body as AsyncIterable<Uint8Array> | undefined;
  if (!body) throw new Error('The storage answered a file without a body');
  for await (const piece of body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

const TRIES = 4;
const CONNECT_MS = 5_000;
const ANSWER_MS = 60_000;

async function connect({ region, endpoint, credentials }: Omit<S3Place, 'bucket' | 'prefix'>) {
  const library = await import('@aws-sdk/client-s3');
  const client = new library.S3Client({
    region,
    maxAttempts: TRIES,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS },
    // Own services are named by address and seldom by a name for each bucket; and not all know newer checksums.
    ...(endpoint === undefined
      ? {}
      : {
          endpoint,
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED' as const,
          responseChecksumValidation: 'WHEN_REQUIRED' as const,
        }),
    ...(credentials ? { credentials: { ...credentials } } : {}),
  });
  return { library, client };
}
