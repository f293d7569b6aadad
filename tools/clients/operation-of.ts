import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import type { Sdk, SdkCall } from './sdk.ts';

/** Answers no call of an SDK, but tells which operation it would reach. */
export interface OperationFinder {
  /** As `POST /v2/user`, with the parameters of the path as the service names them; else the path as it was asked. */
  operationOf(sdk: Sdk, call: SdkCall): Promise<string>;
  close(): Promise<void>;
}

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** Knows the operations of the service by its OpenAPI document. */
export async function openOperationFinder(serviceUrl: string): Promise<OperationFinder> {
  const { paths } = Document.parse(await (await fetch(`${serviceUrl}/openapi.json`)).json());
  const known = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ name: `${method.toUpperCase()} ${path}`, path })),
  );
  // A path without parameters goes first: `/v3/order/import` is no order.
  known.sort((one, other) => countParameters(one.path) - countParameters(other.path));
  const patterns = known.map(({ name }) => ({ name, pattern: patternOf(name) }));
  let asked = '';
  const server = createServer((request, response) => {
    asked = `${request.method} ${new URL(request.url ?? '/', 'http://localhost').pathname}`;
    request
      .resume()
      .on('end', () => response.writeHead(418, { 'content-type': 'application/json' }).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    operationOf: async (sdk, call) => {
      asked = 'no request';
      await sdk.call(`http://127.0.0.1:${port}`, call);
      return patterns.find(({ pattern }) => pattern.test(asked))?.name ?? asked;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const countParameters = (path: string): number => path.split('{').length;

const patternOf = (name: string): RegExp => new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}/?$`);
