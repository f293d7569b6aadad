import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { InvalidArgumentError, type Command } from 'commander';
import type { Config } from '../platform/config.ts';
import { versionOf } from '../platform/version.ts';
import type { BootOptions } from '../service.ts';
import { readKeyGrant, type AssistantTarget } from './mcp/assistant-api.ts';
import { startMcpHttpServer } from './mcp/http.ts';
import { createMcpServer } from './mcp/server.ts';
import { pinCertificate } from './own-certificate.ts';
import { readCredentials, readServiceUrl } from './remote.ts';

interface McpFlags {
  readonly url?: string;
  readonly http?: number;
  readonly host: string;
  readonly allowHost: string[];
  readonly allowOrigin: string[];
}

/** A server for assistants by the Model Context Protocol. It is a client of the running service. */
export function mcpCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('mcp')
    .description('Serve an assistant by the Model Context Protocol, on standard input and output or by HTTP')
    .option('--url <url>', 'URL of the service; default: from HOST and PORT')
    .option('--http <port>', 'serve streamable HTTP at /mcp; each caller brings its own key', readPort)
    .option('--host <address>', 'with --http: the address to listen on', '127.0.0.1')
    .option('--allow-host <name...>', 'with --http: accepted Host headers besides the loopback ones', [])
    .option('--allow-origin <origin...>', 'with --http: origins of browser pages that may call', [])
    .action(async (flags: McpFlags) => serveAssistants(ground('warn'), flags));
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port; 0 picks a free one.');
}

async function serveAssistants({ config, root }: BootOptions, flags: McpFlags): Promise<void> {
  const { TLS_CERT_FILE: certificate } = config;
  const isOwn = flags.url === undefined && certificate !== undefined;
  const service = {
    url: readServiceUrl(config, flags.url),
    brand: config.BRAND,
    dispatcher: isOwn ? await pinCertificate(certificate) : undefined,
  };
  const version = versionOf(root);
  if (flags.http === undefined) await serveStdio({ ...service, ...(await readKeys(config, flags)) }, version);
  else await serveHttp({ ...flags, service, version, port: flags.http });
}

async function readKeys(
  config: Config,
  { url }: McpFlags,
): Promise<Pick<AssistantTarget, 'teamKey' | 'managementKey'>> {
  const { ASSISTANT_API_KEY: teamKey, ASSISTANT_MANAGEMENT_KEY: managementKey } = config;
  if (teamKey !== undefined) return { teamKey, managementKey };
  // The keys of this machine are for the service of this machine.
  const kept = url === undefined ? await readCredentials(config.DATA_DIR) : undefined;
  if (kept) return { teamKey: kept.team_api_key, managementKey: managementKey ?? kept.management_key };
  throw new Error(
    'There is no key: set ASSISTANT_API_KEY to a team key, or DATA_DIR to the data folder of the service.',
  );
}

/** Standard output has only the protocol. Ends when the client closes standard input. */
async function serveStdio(target: AssistantTarget, version: string): Promise<void> {
  const grant = await readKeyGrant(target, 'connect');
  const server = createMcpServer(target, { grant, version });
  process.stdin.once('end', () => void server.close());
  await server.connect(new StdioServerTransport());
}

async function serveHttp({
  allowHost,
  allowOrigin,
  ...options
}: McpFlags & Pick<Parameters<typeof startMcpHttpServer>[0], 'service' | 'version' | 'port'>): Promise<void> {
  const allowedHosts = allowHost.map((name) => name.toLowerCase());
  const server = await startMcpHttpServer({ ...options, allowedHosts, allowedOrigins: allowOrigin });
  const at = server.address();
  const port = typeof at === 'object' && at ? at.port : options.port;
  process.stderr.write(
    `Serving assistants on http://${options.host}:${port}/mcp for ${options.service.url}\n`,
  );
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  await once(server, 'close');
}
