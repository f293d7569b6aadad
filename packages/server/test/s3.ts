import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local stand-in for the parts of the S3 API that file storage uses. */
export interface S3StandIn {
  readonly url: string;
  /** Every request as `METHOD /bucket/key`, and whether it is signed. */
  readonly requests: { line: string; isSigned: boolean }[];
  readonly objects: Map<string, Buffer>;
  /** Answers the next `count` requests with 503. */
  failNext(count: number): void;
  close(): Promise<void>;
}

export async function openS3StandIn(): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const heard: { line: string; isSigned: boolean }[] = [];
  let failing = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const path = new URL(request.url ?? '/', 'http://s3').pathname;
      const isSigned = (request.headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 Credential=AKID/');
      heard.push({ line: `${request.method} ${path}`, isSigned });
      if (failing > 0) {
        failing -= 1;
        return refuse(response, 503, 'SlowDown');
      }
      if (!isSigned) return refuse(response, 403, 'AccessDenied');
      return answer({ request, response, path, body, objects });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: heard,
    objects,
    failNext: (count) => {
      failing = count;
    },
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
  readonly body: Buffer;
  readonly objects: Map<string, Buffer>;
}

function answer({ request, response, path, body, objects }: S3Exchange): void {
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

function refuse(response: ServerResponse, status: number, code: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>no</Message></Error>`;
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
