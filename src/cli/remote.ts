import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { request } from 'undici';
import { z } from 'zod';
import type { Credentials } from '../management/management.ts';
import type { Config } from '../platform/config.ts';
import { ENVIRONMENTS, type Environment } from '../platform/tenant.ts';

/** What the flags said about the service and the team; the rest comes from the data folder. */
export interface RemoteFlags {
  readonly url?: string;
  readonly managementKey?: string;
  readonly org?: string;
  readonly team?: string;
  readonly environment?: Environment;
}

/** The flags by which a command finds a running service. */
export const withRemoteFlags = (command: Command): Command =>
  command
    .option('--url <url>', 'where the service is; without it HOST and PORT say so')
    .option('--management-key <key>', 'without it the one of credentials.json in DATA_DIR')
    .option('--org <id>', 'the organization; without it the one of credentials.json')
    .option('--team <id>', 'the team; without it the one of credentials.json')
    .addOption(
      new Option('--environment <name>', 'one of the team’s two environments').choices(ENVIRONMENTS),
    );

export interface Question<S extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Record<string, string | number | readonly string[]>;
  readonly body?: unknown;
  /** The part of the answer that is needed. */
  readonly answer: S;
  readonly signal?: AbortSignal;
}

/** A running service as one team's management key sees it. */
export interface Remote {
  readonly url: string;
  readonly orgId: string;
  readonly teamId: string;
  /** As the flags said; undefined when they did not. */
  readonly environment: Environment | undefined;
  /** Asks the Management API; every failure is a RemoteError that can be read aloud. */
  ask<S extends z.ZodType>(question: Question<S>): Promise<z.output<S>>;
}

/** What went wrong at the other side, in a sentence. `status` is undefined when nobody answered. */
export class RemoteError extends Error {
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'RemoteError';
    this.status = status;
  }
}

export async function openRemote(config: Config, flags: RemoteFlags): Promise<Remote> {
  const url = flags.url?.replace(/\/+$/, '') ?? serviceUrl(config);
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Error(`--url ${url}: expected http://host:port`);
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
      `There is no credentials.json in ${config.DATA_DIR}. Give ${missing.join(', ')}, or set DATA_DIR to the ` +
        'data folder of the service.',
    );
  }
  return {
    url,
    orgId,
    teamId,
    environment: flags.environment,
    ask: (question) => ask({ url, key }, question),
  };
}

/** Where the service of this configuration can be reached from this machine. */
export function serviceUrl({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string {
  if (PORT === 0)
    throw new Error('PORT is 0, which says nothing about where the service is. Name it with --url.');
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

const Kept = z.object({
  org_id: z.string(),
  team_id: z.string(),
  environment: z.literal('sandbox'),
  team_api_key: z.string(),
  management_key: z.string(),
}) satisfies z.ZodType<Credentials>;

/** What the first start left in the data folder; undefined when there was none. */
export async function readCredentials(folder: string): Promise<Credentials | undefined> {
  const file = join(folder, 'credentials.json');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    return Kept.parse(JSON.parse(text));
  } catch {
    throw new Error(`${file} is not what the first start wrote.`);
  }
}

const PATIENCE_MS = 15_000;

async function ask<S extends z.ZodType>(
  { url, key }: { url: string; key: string },
  { method, path, query = {}, body, answer, signal }: Question<S>,
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
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
    ...(signal === undefined ? {} : { signal }),
  };
  const { status, text } = await reached(url, async () => {
    const got = await request(target, sent);
    return { status: got.statusCode, text: await got.body.text() };
  });
  const parsed = answer.safeParse(readJson(text));
  if (status === 200 && parsed.success) return parsed.data;
  throw new RemoteError(refusal({ url, status, text }), status);
}

async function reached<T>(url: string, send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new RemoteError(
      `No service answers on ${url} (${code}). Start it with \`npm start\`, or name another with --url.`,
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

const Refusal = z.object({
  detail: z.union([
    z.string(),
    z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string() }))
      .transform((faults) => faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
  ]),
});

function refusal({ url, status, text }: { url: string; status: number; text: string }): string {
  const read = Refusal.safeParse(readJson(text));
  const detail = read.success ? read.data.detail : undefined;
  if (status === 200) return `${url} answered in a form that this command does not know; is it Aliquot?`;
  if (status === 401) return `${url} does not know this management key: ${detail ?? 'no reason given'}.`;
  return detail === undefined ? `${url} answered ${status}.` : `${detail} (${status} from ${url})`;
}
