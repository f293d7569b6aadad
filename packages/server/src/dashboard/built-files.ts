import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** What tools/builds/dashboard.mjs lists: the files that a page names, and all files that browsers may ask for. */
const Manifest = z.object({ script: z.string(), style: z.string().nullable(), files: z.array(z.string()) });

/** The dashboard as it was built: its pages' files, in memory once they were asked for. */
interface BuiltDashboard {
  readonly script: string;
  readonly style: string | null;
  /** A file in the best encoding that the browser accepts. Undefined for a name that is not in the build. */
  read(name: string, acceptEncoding: string): Promise<BuiltFile | undefined>;
}

interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined: as it is. */
  readonly encoding: 'br' | 'gzip' | undefined;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Only these have the encodings that the build wrote next to them. */
const ENCODED = new Set(['.js', '.css', '.svg']);

let opened: Promise<BuiltDashboard> | undefined;

/** The build next to the running bundle; when running from the sources, it is made on first use. */
export function openBuiltDashboard(): Promise<BuiltDashboard> {
  opened ??= open().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function open(): Promise<BuiltDashboard> {
  const folder = await locate();
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')));
  const names = new Set(manifest.files);
  const files = new Map<string, Promise<Buffer>>();
  const bytesOf = (path: string): Promise<Buffer> => {
    const bytes = files.get(path) ?? readFile(join(folder, path));
    files.set(path, bytes);
    bytes.catch(() => files.delete(path));
    return bytes;
  };
  return {
    script: manifest.script,
    style: manifest.style,
    read: async (name, acceptEncoding) => {
      if (!names.has(name)) return undefined;
      const extension = extname(name);
      const encoding = ENCODED.has(extension) ? chooseEncoding(acceptEncoding) : undefined;
      const suffix = encoding === undefined ? '' : encoding === 'br' ? '.br' : '.gz';
      return {
        type: TYPES[extension] ?? 'application/octet-stream',
        bytes: await bytesOf(`${name}${suffix}`),
        encoding,
      };
    },
  };
}

async function locate(): Promise<string> {
  const here = import.meta.url;
  if (!here.endsWith('.ts')) return fileURLToPath(new URL('dashboard', here));
  const root = new URL('../../../../', here);
  const builder = new URL('tools/builds/dashboard.mjs', root).href;
  const { bundleDashboard } = (await import(builder)) as {
    bundleDashboard: (folder: string) => Promise<string[]>;
  };
  // A folder of its own: another thread must not read files that this one is writing.
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-dashboard-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await bundleDashboard(folder);
  return folder;
}

function chooseEncoding(accepted: string): BuiltFile['encoding'] {
  const offered = accepted
    .split(',')
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
    .map((part) => part.split(';')[0]);
  if (offered.includes('br')) return 'br';
  return offered.includes('gzip') ? 'gzip' : undefined;
}
