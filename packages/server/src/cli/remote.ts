import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { request, type Agent } from 'undici';
import { z } from 'zod';
import { credentialsFile, type BootstrapCredentials } from '../identity/management/management.ts';
import type { Config } from '../platform/config.ts';
import { pinCertificate } from './own-certificate.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';

/** Flags that select the service and the team. Defaults come from the data folder. */
export interface RemoteFlags {
  readonly url?: string;
  readonly managementKey?: string;
  readonly org?: string;
  readonly team?: string;
  readonly environment?: Environment;
}

/** Adds the flags by which a command finds a running service. */
export const addRemoteFlags = (command: Command): Command =>
  command
    .option('--url <url>', 'URL of the service; default: from HOST and PORT')
    .option('--management-key <key>', 'management key; default: from credentials.json in DATA_DIR')
    .option('--org <id>', 'organization; default: from credentials.json')
    .option('--team <id>', 'team; default: from credentials.json')
    .addOption(new Option('--environment <name>', 'environment of the team').choices(ENVIRONMENTS));

interface RemoteRequest<S extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Record<string, string | number | readonly string[]>;
  readonly body?: unknown;
  /** The schema of the response parts that are needed. */
  readonly answer: S;
  readonly signal?: AbortSignal;
}

/** A running service, accessed with the management key of one team. */
export interface Remote {
  readonly url: string;
  readonly orgId: string;
  readonly teamId: string;
  /** The environment of the flags, if given. */
  readonly environment: Environment | undefined;
  /** Calls the Management API. Every failure is a RemoteError with a readable message. */
  request<S extends z.ZodType>(question: RemoteRequest<S>): Promise<z.output<S>>;
}

/** An error of the remote service. `status` is undefined if there was no response. */
export class RemoteError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'RemoteError';
    this.status = status;
  }
}

export async function openRemote(config: Config, flags: RemoteFlags): Promise<Remote> {
  const url = readServiceUrl(config, flags.url);
  const kept = await readCredentials(config.DATA_DIR);
  const who = {
    '--management-key': flags.managementKey ?? kept?.management_key,
    '--org': flags.org ?? kept?.org_id,
    '--team': flags.team ?? kept?.team_id,
  };
  const { '--management-key': key, '--org': orgId, '--team': teamId } = who;
  if (key === undefined || orgId === undefined || teamId === undefined) {
    const missing = Object.entries(who).flatMap(([flag, value]) => (value === undefined ? flag : []));
    throw new Error(
      `There is no credentials.json in ${config.DATA_DIR}. Pass ${missing.join(', ')}, or set DATA_DIR to the ` +
        'data folder of the service.',
    );
  }
  const { TLS_CERT_FILE: certificate } = config;
  const isOwn = flags.url === undefined && certificate !== undefined;
  const dispatcher = isOwn ? await pinCertificate(certificate) : undefined;
  return {
    url,
    orgId,
    teamId,
    environment: flags.environment,
    request: (question) => sendRequest({ url, key, dispatcher }, question),
  };
}

/** The URL of the flag, or that of the configured service. */
export function readServiceUrl(config: Config, flag: string | undefined): string {
  const url = flag?.replace(/\/+$/, '') ?? serviceUrl(config);
  if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new Error(`--url ${url}: expected http://host:port`);
}

/** The URL of the configured service as seen from this machine. */
export function serviceUrl({ HOST, PORT, TLS_CERT_FILE }: Config): string {
  if (PORT === 0)
    throw new Error('PORT is 0, so the port of the service is unknown. Pass its URL with --url.');
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const scheme = TLS_CERT_FILE === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

const StoredCredentials = z.object({
  org_id: z.string(),
  team_id: z.string(),
  environment: z.literal('sandbox'),
  team_api_key: z.string(),
  management_key: z.string(),
}) satisfies z.ZodType<BootstrapCredentials>;

/** Reads the credentials that the first start stored in the data folder; undefined if there are none. */
export async function readCredentials(folder: string): Promise<BootstrapCredentials | undefined> {
  const file = credentialsFile(folder);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return StoredCredentials.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is not a valid credentials file.`);
  }
}

const TIMEOUT_MS = 15_000;

async function sendRequest<S extends z.ZodType>(
  { url, key, dispatcher }: { url: string; key: string; dispatcher: Agent | undefined },
  { method, path, query = {}, body, answer, signal }: RemoteRequest<S>,
): Promise<z.output<S>> {
  const target = new URL(`${url}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) target.searchParams.append(name, String(one));
  }
  const sent = {
    method,
    headers: {
      'x-management-key': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    ...(dispatcher && { dispatcher }),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  };
  const { status, text } = await explainConnectionError(url, async () => {
    const got = await request(target, sent);
    return { status: got.statusCode, text: await got.body.text() };
  });
  const parsed = answer.safeParse(readJson(text));
  if (status === 200 && parsed.success) return parsed.data;
  throw new RemoteError(describeRefusal({ url, status, text }), status);
}

async function explainConnectionError<T>(url: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new RemoteError(
      `No service responds at ${url} (${code}). Start it with \`npm start\`, or pass another URL with --url.`,
    );
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const RefusalBody = z.object({
  detail: z.union([
    z.string(),
    z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }))
      .transform((faults) => faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
  ]),
});

function describeRefusal({ url, status, text }: { url: string; status: number; text: string }): string {
  const read = RefusalBody.safeParse(readJson(text));
  const detail = read.success ? read.data.detail : undefined;
  if (status === 200) return `${url} sent an unexpected response; is it Aliquot?`;
  if (status === 401) return `${url} rejected the management key: ${detail ?? 'no reason given'}.`;
  return detail === undefined
    ? `${url} responded with status ${status}.`
    : `${detail} (${status} from ${url})`;
}
