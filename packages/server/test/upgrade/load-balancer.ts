import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** A process behind the load balancer. */
interface Backend {
  readonly name: string;
  readonly url: string;
  isReady: boolean;
  isDraining: boolean;
  /** Probes without a 200, in succession. */
  refused: number;
  /** What /readyz answered last. */
  lastAnswer: string;
  inFlight: number;
  served: number;
}

/**
 * A load balancer as operators have one: sends requests in turn to the backends whose /readyz answers 200, keeps
 * connections, repeats nothing, and drains a backend that is taken out.
 */
export interface LoadBalancer {
  readonly url: string;
  readonly backends: readonly Backend[];
  add(name: string, url: string): Promise<void>;
  /** Sends no further request there, and waits for the responses to those that were sent. */
  drain(name: string): Promise<void>;
  close(): Promise<void>;
}

const PROBE_INTERVAL_MS = 250;
const PROBE_TIMEOUT_MS = 5_000;
/** In succession, as load balancers and Kubernetes have it by default. */
const REFUSED_MAX = 3;
const DRAIN_INTERVAL_MS = 5;
const REQUEST_TIMEOUT_MS = 60_000;
/** Of one connection only. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host']);

export async function openLoadBalancer(): Promise<LoadBalancer> {
  const backends: Backend[] = [];
  const agent = new Agent({ headersTimeout: REQUEST_TIMEOUT_MS, bodyTimeout: REQUEST_TIMEOUT_MS });
  let turn = 0;
  const choose = (): Backend | undefined => {
    const ready = backends.filter(({ isReady, isDraining }) => isReady && !isDraining);
    return ready[(turn += 1) % ready.length];
  };
  const server = createServer(
    (incoming, outgoing) =>
      void forward(agent, choose(), {
        incoming,
        outgoing,
        why: () => backends.map(({ name, lastAnswer }) => `${name}: ${lastAnswer}`).join(', '),
      }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  let isClosed = false;
  const probing = (async () => {
    while (!isClosed) {
      await Promise.all(backends.map(probe));
      await sleep(PROBE_INTERVAL_MS);
    }
  })();
  return {
    url: `http://127.0.0.1:${address.port}`,
    backends,
    add: async (name, url) => {
      const backend: Backend = {
        name,
        url,
        isReady: false,
        isDraining: false,
        refused: 0,
        lastAnswer: '',
        inFlight: 0,
        served: 0,
      };
      await probe(backend);
      backends.push(backend);
    },
    drain: async (name) => {
      const backend = backends.find((each) => each.name === name);
      if (!backend) throw new Error(`No backend is called ${name}`);
      backend.isDraining = true;
      while (backend.inFlight > 0) await sleep(DRAIN_INTERVAL_MS);
    },
    close: async () => {
      isClosed = true;
      await probing;
      server.closeAllConnections();
      server.close();
      await agent.close();
    },
  };
}

async function probe(backend: Backend): Promise<void> {
  if (backend.isDraining) return;
  const answer = await request(`${backend.url}/readyz`, { headersTimeout: PROBE_TIMEOUT_MS }).catch(
    () => undefined,
  );
  const text = await answer?.body.text().catch(() => '');
  // A machine that is too slow to answer in time is not one that says no: requests that go there show whether it fails.
  if (!answer) return;
  backend.lastAnswer = text ?? '';
  backend.refused = answer.statusCode === 200 ? 0 : backend.refused + 1;
  if (backend.refused === 0) backend.isReady = true;
  else if (backend.refused >= REFUSED_MAX) backend.isReady = false;
}

interface ProxiedExchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Why no backend is ready. */
  readonly why: () => string;
}

async function forward(
  agent: Agent,
  backend: Backend | undefined,
  { incoming, outgoing, why }: ProxiedExchange,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  if (!backend) {
    outgoing.writeHead(503).end(`no backend is ready: ${why()}`);
    return;
  }
  backend.inFlight += 1;
  try {
    const { statusCode, headers, body } = await request(`${backend.url}${incoming.url ?? '/'}`, {
      dispatcher: agent,
      method: incoming.method === 'POST' ? 'POST' : 'GET',
      headers: withoutHopByHop(incoming.headers),
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    });
    const text = await body.text();
    outgoing.writeHead(statusCode, withoutHopByHop(headers)).end(text);
  } catch (error) {
    outgoing.writeHead(502).end(`${backend.name}: ${String(error)}`);
  } finally {
    backend.inFlight -= 1;
    backend.served += 1;
  }
}

const withoutHopByHop = (
  headers: IncomingMessage['headers'],
): Record<string, string | string[] | undefined> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));
