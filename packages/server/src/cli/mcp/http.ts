import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LRUCache } from 'lru-cache';
import { MINUTE } from '../../platform/clock.ts';
import { AssistantApiError, readKeyGrant, type AssistantTarget, type KeyGrant } from './assistant-api.ts';
import { createMcpServer } from './server.ts';

/** Where the server is, and which requests it accepts. */
interface McpHttpOptions {
  /** The service, without keys: each request brings its own. */
  readonly service: Pick<AssistantTarget, 'url' | 'brand' | 'dispatcher'>;
  readonly version: string;
  readonly host: string;
  readonly port: number;
  /** Values of the Host header besides those of the loopback interface, such as `mcp.example.com`. */
  readonly allowedHosts: readonly string[];
  /** Origins of browser pages that may call. */
  readonly allowedOrigins: readonly string[];
}

const PATH = '/mcp';
const BODY_BYTES_MAX = 256 * 1024;
const GRANTS_MAX = 1000;
const JSON_RPC_REFUSED = -32_000;

/**
 * Serves MCP over streamable HTTP, without sessions: each request has the key of its caller in `Authorization: Bearer`,
 * and every tool call is a request to the service with that key. Nothing is kept between requests but what keys open,
 * for a minute. Requests with a foreign Host or Origin are refused before their key is read: a page in a browser could
 * otherwise reach a server on this machine by a name that it points here (DNS rebinding).
 */
export function startMcpHttpServer(options: McpHttpOptions): Promise<HttpServer> {
  const grants = new LRUCache<string, KeyGrant>({ max: GRANTS_MAX, ttl: MINUTE });
  const server = createServer((request, response) => {
    handle(options, grants, { request, response }).catch((error: unknown) => {
      const status = error instanceof AssistantApiError ? (error.status ?? UNAVAILABLE) : INTERNAL_ERROR;
      const message = error instanceof AssistantApiError ? error.message : 'The request failed.';
      refuse(response, status, message);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve(server));
  });
}

const UNAUTHORIZED = 401;
const FORBIDDEN = 403;
const NOT_FOUND = 404;
const METHOD_NOT_ALLOWED = 405;
const INTERNAL_ERROR = 500;
const UNAVAILABLE = 503;

interface McpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function handle(
  options: McpHttpOptions,
  grants: LRUCache<string, KeyGrant>,
  { request, response }: McpExchange,
): Promise<void> {
  if (!isHostAllowed(options, request.headers.host))
    return refuse(response, FORBIDDEN, 'This Host is not accepted: start `aliquot mcp` with --allow-host.');
  const { origin } = request.headers;
  if (origin !== undefined && !options.allowedOrigins.includes(origin))
    return refuse(
      response,
      FORBIDDEN,
      'This Origin is not accepted: start `aliquot mcp` with --allow-origin.',
    );
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH)
    return refuse(response, NOT_FOUND, `There is only ${PATH}.`);
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    return refuse(response, METHOD_NOT_ALLOWED, 'There are no sessions and no streams: only POST.');
  }
  const teamKey = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (teamKey === undefined) {
    response.setHeader('www-authenticate', 'Bearer');
    return refuse(response, UNAUTHORIZED, 'Send a team key: Authorization: Bearer sk_us_...');
  }
  const managementKey = [request.headers['x-management-key'] ?? []].flat().at(0);
  const target = { ...options.service, teamKey, managementKey };
  const digest = createHash('sha256').update(teamKey).digest('base64');
  const grant = grants.get(digest) ?? (await readKeyGrant(target, 'connect'));
  grants.set(digest, grant);
  await answer(createMcpServer(target, { grant, version: options.version }), { request, response });
}

async function answer(server: ReturnType<typeof createMcpServer>, { request, response }: McpExchange) {
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: BODY_BYTES_MAX,
  });
  response.once('close', () => void server.close());
  // The class of the SDK declares optional handlers in another way than its own interface.
  await server.connect(transport as Transport);
  await transport.handleRequest(request, response);
}

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

const isHostAllowed = ({ allowedHosts }: McpHttpOptions, host: string | undefined): boolean =>
  host !== undefined && (LOOPBACK_HOST.test(host) || allowedHosts.includes(host.toLowerCase()));

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: JSON_RPC_REFUSED, message } }));
}
