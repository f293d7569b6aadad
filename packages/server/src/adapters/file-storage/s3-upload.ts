import type * as S3 from '@aws-sdk/client-s3';

interface UploadTarget {
  readonly library: typeof S3;
  readonly client: S3.S3Client;
  readonly named: { readonly Bucket: string; readonly Key: string };
}

const MEBIBYTE = 1024 * 1024;
/** An upload has at most 10,000 parts, so the parts grow: 16 MiB each for the first 32 GiB, then 64 MiB. */
const partBytes = (number: number): number => (number <= 2000 ? 16 : 64) * MEBIBYTE;
const ContentType = 'application/octet-stream';

/**
 * Uploads in parts, because S3 needs the length of each request before its first byte: at most one part is in memory. A
 * file that fits into one is uploaded at once. The object exists only once the last part is completed.
 */
export async function putObject(target: UploadTarget, pieces: AsyncIterable<Buffer>): Promise<void> {
  const { library, client, named } = target;
  const parts = toParts(pieces);
  const first = await parts.next();
  const Body = first.done === true ? Buffer.alloc(0) : first.value;
  if (Body.length < partBytes(1)) {
    await client.send(new library.PutObjectCommand({ ...named, Body, ContentType }));
    return;
  }
  const { UploadId } = await client.send(new library.CreateMultipartUploadCommand({ ...named, ContentType }));
  if (UploadId === undefined) throw new Error('The storage returned no id for a multipart upload');
  try {
    const done: S3.CompletedPart[] = [];
    for (let part: Buffer | undefined = Body; part; part = nextPart(await parts.next())) {
      const PartNumber = done.length + 1;
      const upload = new library.UploadPartCommand({ ...named, UploadId, PartNumber, Body: part });
      done.push({ PartNumber, ETag: (await client.send(upload)).ETag });
    }
    const MultipartUpload = { Parts: done };
    await client.send(new library.CompleteMultipartUploadCommand({ ...named, UploadId, MultipartUpload }));
  } catch (error) {
    await client.send(new library.AbortMultipartUploadCommand({ ...named, UploadId })).catch(() => {});
    throw error;
  }
}

const nextPart = (result: IteratorResult<Buffer, void>): Buffer | undefined =>
  result.done === true ? undefined : result.value;

async function* toParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let gathered: Buffer[] = [];
  let size = 0;
  let number = 1;
  for await (const piece of pieces) {
    gathered.push(piece);
    size += piece.length;
    if (size < partBytes(number)) continue;
    yield Buffer.concat(gathered);
    [gathered, size, number] = [[], 0, number + 1];
  }
  if (size > 0) yield Buffer.concat(gathered);
}

/** Ends the multipart uploads of a key that a killed process left, whose parts the storage keeps and charges for. */
export async function discardUploads({ library, client, named }: UploadTarget): Promise<void> {
  const { Bucket, Key } = named;
  const { Uploads } = await client.send(new library.ListMultipartUploadsCommand({ Bucket, Prefix: Key }));
  for (const upload of Uploads ?? []) {
    const { UploadId } = upload;
    if (upload.Key === Key && UploadId !== undefined)
      await client.send(new library.AbortMultipartUploadCommand({ ...named, UploadId }));
  }
}
