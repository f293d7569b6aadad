import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface SizeBudget {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

const KB = 1024;

/** Sizes of a fresh build, as they are sent: compressed by Brotli. */
export async function measureSizes(): Promise<SizeBudget[]> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-dashboard-'));
  try {
    const builder = new URL('../../tools/builds/dashboard.mjs', import.meta.url).href;
    const { bundleDashboard } = (await import(builder)) as {
      bundleDashboard: (to: string) => Promise<unknown>;
    };
    await bundleDashboard(folder);
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as {
      style: string;
      first: string[];
      files: string[];
    };
    const sizeOf = async (name: string) => (await stat(join(folder, `${name}.br`))).size / KB;
    const sizes = async (names: readonly string[]) => Promise.all(names.map(sizeOf));
    const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
    const later = manifest.files.filter((name) => name.endsWith('.js') && !manifest.first.includes(name));
    return [
      {
        name: 'JavaScript of the first load',
        value: sum(await sizes(manifest.first)),
        most: 300,
        unit: 'KB',
      },
      { name: 'styles of the first load', value: await sizeOf(manifest.style), most: 60, unit: 'KB' },
      {
        name: 'largest chunk that is loaded later',
        value: Math.max(...(await sizes(later))),
        most: 150,
        unit: 'KB',
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
