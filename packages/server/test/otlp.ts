import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface OtlpAttribute {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number;
    readonly doubleValue?: number;
  };
}

/** A span as the protocol sends it. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly OtlpAttribute[];
}

/** A receiver of OTLP over HTTP with JSON bodies: a collector's first half. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: OtlpSpan[];
  /** Every body that was received, of traces and of metrics. */
  readonly bodies: { readonly path: string; readonly text: string }[];
  /** What it answers from now on. */
  status: number;
  close(): Promise<void>;
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: OtlpSpan[] = [];
  const bodies: OtlpReceiver['bodies'] = [];
  const behavior = { status: 200 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      bodies.push({ path: request.url ?? '', text: body });
      if (request.url === '/v1/traces') spans.push(...spansIn(JSON.parse(body)));
      response.writeHead(behavior.status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(behavior, {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

interface TracesBody {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const spansIn = ({ resourceSpans }: TracesBody): OtlpSpan[] =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
