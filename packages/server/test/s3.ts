import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local stand-in for the parts of the S3 API that file storage uses. */
export interface S3StandIn {
  readonly url: string;
  /** Every request as `METHOD /bucket/key`, and whether it is signed. */
  readonly requests: { line: string; isSigned: boolean }[];
  readonly objects: Map<string, Buffer>;
  /** The multipart uploads that are neither completed nor aborted, by id. */
  readonly uploads: Map<string, MultipartUpload>;
  /** Answers the next `count` requests with 503. */
  failNext(count: number): void;
  /** Leaves the next request that matches (`METHOD /bucket/key`) without an answer; resolves when it has come. */
  hangNext(pattern: RegExp): Promise<void>;
  close(): Promise<void>;
}

interface MultipartUpload {
  readonly path: string;
  readonly parts: Map<number, Buffer>;
}

export async function openS3StandIn(): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, MultipartUpload>();
  const heard: { line: string; isSigned: boolean }[] = [];
  let failing = 0;
  let hanging: { pattern: RegExp; come: () => void } | undefined;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://s3');
      const isSigned = (request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 Credential=AKID/');
      heard.push({ line: `${request.method} ${path}`, isSigned });
      if (hanging?.pattern.test(`${request.method} ${path}`)) {
        hanging.come();
        hanging = undefined;
        return;
      }
      if (failing > 0) {
        failing -= 1;
        return refuse(response, 503, 'SlowDown');
      }
      if (!isSigned) return refuse(response, 403, 'AccessDenied');
      return answer({ request, response, path, query, body, objects, uploads });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: heard,
    objects,
    uploads,
    failNext: (count) => {
      failing = count;
    },
    hangNext: (pattern) => new Promise((come) => (hanging = { pattern, come })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface S3Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, MultipartUpload>;
}

function answer(exchange: S3Exchange): void {
  const { request, response, path, query, body, objects } = exchange;
  if (query.has('uploads') || query.has('uploadId')) return answerUpload(exchange);
  if (query.has('list-type')) return answerList(exchange);
  const object = objects.get(path);
  if (request.method === 'PUT') {
    objects.set(path, body);
    response.writeHead(200, { etag: '"made"' }).end();
  } else if (request.method === 'DELETE') {
    objects.delete(path);
    response.writeHead(204).end();
  } else if (object) response.writeHead(200, { 'content-length': object.length }).end(object);
  else refuse(response, 404, 'NoSuchKey');
}

function answerUpload({ request, response, path, query, body, objects, uploads }: S3Exchange): void {
  const id = query.get('uploadId');
  const upload = uploads.get(id ?? '');
  if (id === null && request.method === 'POST') {
    const made = `upload-${uploads.size + 1}-${objects.size}`;
    uploads.set(made, { path, parts: new Map() });
    return sendXml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`,
    );
  }
  if (id === null) {
    const root = path.endsWith('/') ? path : `${path}/`;
    const prefix = `${root}${query.get('prefix') ?? ''}`;
    const found = [...uploads].filter(([, one]) => one.path.startsWith(prefix));
    const rows = found.map(
      ([uploadId, one]) =>
        `<Upload><Key>${one.path.slice(root.length)}</Key><UploadId>${uploadId}</UploadId></Upload>`,
    );
    return sendXml(response, `<ListMultipartUploadsResult>${rows.join('')}</ListMultipartUploadsResult>`);
  }
  if (!upload) return refuse(response, 404, 'NoSuchUpload');
  if (request.method === 'PUT') {
    const number = Number(query.get('partNumber'));
    upload.parts.set(number, body);
    response.writeHead(200, { etag: `"part-${number}"` }).end();
    return;
  }
  uploads.delete(id);
  if (request.method === 'DELETE') return void response.writeHead(204).end();
  const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) =>
    Number(number),
  );
  objects.set(path, Buffer.concat(named.map((number) => upload.parts.get(number) ?? Buffer.alloc(0))));
  sendXml(response, '<CompleteMultipartUploadResult><ETag>"made"</ETag></CompleteMultipartUploadResult>');
}

/** Two objects a page, so that every longer list has several. */
function answerList({ response, path, query, objects }: S3Exchange): void {
  const root = path.endsWith('/') ? path : `${path}/`;
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(`${root}${query.get('prefix') ?? ''}`))
    .toSorted();
  const from = Number(query.get('continuation-token') ?? 0);
  const rows = keys
    .slice(from, from + 2)
    .map(
      (key) =>
        `<Contents><Key>${key.slice(root.length)}</Key><Size>${objects.get(key)?.length ?? 0}</Size></Contents>`,
    );
  const next = from + 2 < keys.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
  sendXml(
    response,
    `<ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`,
  );
}

function sendXml(response: ServerResponse, text: string): void {
  response
    .writeHead(200, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
}

function refuse(response: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
