import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../builds/paths.mjs';

const SOURCE = join(ROOT, 'packages/report-reader');
const STAGE = join(SOURCE, 'dist/package');

/**
 * Makes the folder that the package of the report reader is packed from. In the repository its exports are sources,
 * which Node.js does not load from node_modules; here they are built, and package.json names the built files.
 *
 * @returns {Promise<string>} The folder.
 */
export async function stageReportReader() {
  const manifest = JSON.parse(await readFile(join(SOURCE, 'package.json'), 'utf8'));
  const exported = Object.entries(manifest.exports).filter(([, file]) => file.endsWith('.ts'));
  const entryPoints = ['./src/command.ts', ...exported.map(([, file]) => file)];
  await rm(STAGE, { recursive: true, force: true });
  await mkdir(join(STAGE, 'bin'), { recursive: true });
  await build({
    entryPoints,
    absWorkingDir: SOURCE,
    outdir: join(STAGE, 'dist'),
    entryNames: '[name]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  await writeFile(join(STAGE, 'package.json'), `${JSON.stringify(published(manifest), null, 2)}\n`);
  const program = "#!/usr/bin/env node\nimport '../dist/command.js';\n";
  await writeFile(join(STAGE, 'bin/aliquot-report-reader.js'), program, { mode: 0o755 });
  await cp(join(SOURCE, 'data'), join(STAGE, 'data'), { recursive: true });
  await copyFile(join(SOURCE, 'README.md'), join(STAGE, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE']) await copyFile(join(ROOT, name), join(STAGE, name));
  return STAGE;
}

const builtName = (file) => `./dist/${basename(file, '.ts')}.js`;

function published({ private: _private, exports: sources, ...manifest }) {
  const built = Object.entries(sources).map(([path, file]) => [
    path,
    file.endsWith('.ts') ? builtName(file) : file,
  ]);
  return { ...manifest, exports: Object.fromEntries(built), files: ['bin', 'data', 'dist', 'NOTICE'] };
}
