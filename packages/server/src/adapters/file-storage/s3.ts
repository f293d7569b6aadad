import type * as S3 from '@aws-sdk/client-s3';
import { FileNotFoundError, type FileStorage, type StoredFileInfo } from './port.ts';
import { discardUploads, putObject } from './s3-upload.ts';

interface S3StorageOptions {
  readonly bucket: string;
  readonly region: string;
  /** Endpoint of an S3-compatible service. Default: AWS. */
  readonly endpoint?: string;
  /** Prefix of every key, for example `aliquot/`; can be empty. */
  readonly prefix: string;
  /** Default: the AWS client's own chain (environment, profile, machine role). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

type S3Library = typeof S3;
type S3Client = S3.S3Client;

/** A bucket of S3 or of a compatible service. The client library is loaded on first use. */
export function createS3Storage({ bucket, prefix, ...place }: S3StorageOptions): FileStorage {
  let loading: Promise<{ library: S3Library; client: S3Client }> | undefined;
  const s3 = () => (loading ??= createClient(place));
  const named = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  return {
    put: async (key, pieces) => {
      const { library, client } = await s3();
      await putObject({ library, client, named: named(key) }, pieces);
    },
    get: (key) => readObject(s3, named(key), key),
    remove: async (key) => {
      const { library, client } = await s3();
      await client.send(new library.DeleteObjectCommand(named(key)));
    },
    list: (folder) => listObjects(s3, { bucket, prefix, folder }),
    discardUnfinished: async (key) => {
      const { library, client } = await s3();
      await discardUploads({ library, client, named: named(key) });
    },
  };
}

async function* listObjects(
  s3: () => Promise<{ library: S3Library; client: S3Client }>,
  { bucket, prefix, folder }: { bucket: string; prefix: string; folder: string },
): AsyncGenerator<StoredFileInfo> {
  const { library, client } = await s3();
  const Prefix = `${prefix}${folder}/`;
  let ContinuationToken: string | undefined;
  do {
    const page: S3.ListObjectsV2CommandOutput = await client.send(
      new library.ListObjectsV2Command({ Bucket: bucket, Prefix, ContinuationToken }),
    );
    for (const { Key, Size } of page.Contents ?? [])
      if (Key !== undefined) yield { key: Key.slice(prefix.length), bytes: Size ?? 0 };
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
}

async function* readObject(
  s3: () => Promise<{ library: S3Library; client: S3Client }>,
  named: { Bucket: string; Key: string },
  key: string,
): AsyncGenerator<Buffer> {
  const { library, client } = await s3();
  const answer = await client.send(new library.GetObjectCommand(named)).catch((error: unknown) => {
    throw error instanceof library.NoSuchKey ? new FileNotFoundError(key) : error;
  });
  const body = answer.Body as AsyncIterable<Uint8Array> | undefined;
  if (!body) throw new Error('The storage returned a file without a body');
  for await (const piece of body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
}

const TRIES = 4;
const CONNECT_MS = 5_000;
const RESPONSE_MS = 60_000;

async function createClient({ region, endpoint, credentials }: Omit<S3StorageOptions, 'bucket' | 'prefix'>) {
  const library = await import('@aws-sdk/client-s3');
  const client = new library.S3Client({
    region,
    maxAttempts: TRIES,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: RESPONSE_MS },
    // Compatible services rarely support bucket host names, and not all support the newer checksums.
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
