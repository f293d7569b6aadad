import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { z } from 'zod';
import { FILE, type Json, type Sdk, type SdkCall, type SdkKey, type SdkOutcome } from './sdk.ts';

/** Each call ends by then: no operation of the sandbox takes as long. */
const TIMEOUT_SECONDS = 60;

type Methods = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;
type ClientClass = new (options: Record<string, unknown>) => Methods;

/** Loads a Node SDK from the folder of its package. */
export async function openNodeSdk(folder: string, { apiKey }: SdkKey): Promise<Sdk> {
  const described = z.object({ name: z.string(), version: z.string() });
  const { name, version } = described.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const exported: Record<string, unknown> = createRequire(join(folder, 'package.json'))(folder);
  const Client = Object.entries(exported).find(([each]) => /^\w+Client$/.test(each))?.[1] as ClientClass;
  const clientOf = (baseUrl: string) =>
    new Client({ baseUrl, environment: baseUrl, apiKey, maxRetries: 0, timeoutInSeconds: TIMEOUT_SECONDS });
  return {
    name,
    version,
    isCamelCase: true,
    methods: listMethods(clientOf('http://127.0.0.1:9')),
    examples: readExamples(await readFile(join(folder, 'reference.md'), 'utf8')),
    call: (baseUrl, call) => callMethod(clientOf(baseUrl), call),
    close: async () => {},
  };
}

/** The resources of a client are getters of its class, and their methods are those of theirs. */
function listMethods(client: Methods): string[] {
  const resources = Object.getOwnPropertyNames(Object.getPrototypeOf(client)).filter(
    (name) => typeof client[name] === 'object',
  );
  return resources.flatMap((resource) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(client[resource]))
      .filter((name) => name !== 'constructor' && !name.startsWith('_'))
      .map((name) => `${resource}.${name}`),
  );
}

async function callMethod(client: Methods, { method, positional, named }: SdkCall): Promise<SdkOutcome> {
  const [resource = '', name = ''] = method.split('.');
  const args: unknown[] = positional.map(toArgument);
  if (Object.keys(named).length > 0) args.push(toArgument(named));
  try {
    await client[resource]?.[name]?.(...args);
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

const BLOCK = /```typescript\n(await client\.[\s\S]*?)```/g;

/** Runs the examples of the reference against a client that only writes down how it was called. */
function readExamples(reference: string): SdkCall[] {
  return [...reference.matchAll(BLOCK)].map(([, code = '']) => {
    const calls: SdkCall[] = [];
    const resource = (path: string) =>
      new Proxy(
        {},
        {
          get:
            (_, name: string) =>
            (...args: Json[]) =>
              calls.push(toCall(`${path}.${name}`, args)),
        },
      );
    const client = new Proxy({}, { get: (_, name: string) => resource(name) });
    const createReadStream = () => FILE;
    runInNewContext(
      `Date.prototype.toJSON = function () { return { $date: this.toISOString() }; };(async () => { ${code} })()`,
      { client, createReadStream, fs: { createReadStream } },
    );
    const [call] = calls;
    if (!call) throw new Error(`An example calls nothing: ${code}`);
    return call;
  });
}

/** The last argument has the fields by name. The copy leaves the realm in which the example ran. */
function toCall(method: string, args: readonly Json[]): SdkCall {
  const copied = JSON.parse(JSON.stringify(args)) as Json[];
  const last = copied.at(-1);
  const isNamed = typeof last === 'object' && last !== null && !Array.isArray(last);
  return {
    method,
    positional: isNamed ? copied.slice(0, -1) : copied,
    named: isNamed ? (last as Record<string, Json>) : {},
  };
}

/** Dates and files as an SDK takes them. */
function toArgument(value: Json): unknown {
  if (Array.isArray(value)) return value.map(toArgument);
  if (typeof value !== 'object' || value === null) return value;
  if ('$date' in value) return new Date(String(value['$date']));
  if ('$file' in value)
    return {
      data: Buffer.from(String(value['$file'])),
      filename: 'report.pdf',
      contentType: 'application/pdf',
    };
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toArgument(each)]));
}
