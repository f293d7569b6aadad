import { importsOf, type Import, type SourceFile } from './file.ts';
import { workBlocks } from './work-blocks.ts';

interface Rule {
  readonly name: string;
  /** Which files it looks at. */
  readonly where: (path: string) => boolean;
  /** The offset and the message of every breach. */
  readonly breaches: (file: SourceFile) => readonly Breach[];
}

interface Breach {
  readonly offset: number;
  readonly message: string;
}

const isTest = (path: string) => path.endsWith('.test.ts');
/** The dashboard runs in browsers, which have a clock and the network of their own. */
const inService = (path: string) => /^packages\/(?!dashboard\/)[^/]+\/src\//.test(path);
const within = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place));
/** Code of the service without its tests and without the given folders. */
const serviceBut =
  (...places: string[]) =>
  (path: string) =>
    inService(path) && !isTest(path) && !within(path, places);

/** Breaches where a pattern stands in the code, comments and strings aside. */
const found =
  (message: string, ...patterns: RegExp[]) =>
  ({ code }: SourceFile): Breach[] =>
    patterns.flatMap((pattern) =>
      [...code.matchAll(pattern)].map(({ index }) => ({ offset: index, message })),
    );

const imported = (message: string, forbidden: (found: Import) => boolean) => (file: SourceFile) =>
  importsOf(file)
    .filter(forbidden)
    .map(({ offset }) => ({ offset, message }));

const FETCH_PLACES = [
  'packages/server/src/adapters/',
  'packages/server/src/delivery/webhooks/',
  'packages/server/src/platform/network/',
  'packages/server/src/cli/',
];
const SQL_PLACES = [
  'packages/server/src/platform/db/',
  'packages/server/src/platform/jobs/',
  'packages/server/src/platform/embedded-postgres/',
];
/** The only folder that uses private interfaces of pg and Kysely; the bench and the tests use none either. */
const PRIVATE_INTERFACES = 'packages/server/src/platform/db/fast/';
const QUEUE_TABLES = 'packages/server/test/queue-tables.ts';
const isStore = (path: string) => /(?:^|[/-])store\.ts$/.test(path);

export const rules: readonly Rule[] = [
  {
    name: 'clock',
    where: (path) => inService(path) && path !== 'packages/server/src/platform/clock.ts',
    breaches: found(
      'the time comes from work.now or a Clock; only platform/clock.ts reads the system clock',
      /\bnew\s+Date\s*\(\s*\)/g,
      /\bnew\s+Date\b(?!\s*[(\w<.])/g,
      /(?<!new\s+)(?<![.\w$])Date\s*\(\s*\)/g,
      /\bDate\s*\.\s*now\b/g,
    ),
  },
  {
    name: 'config',
    where: serviceBut('packages/server/src/platform/config.ts'),
    breaches: (file) => [
      ...found(
        'the environment is read in platform/config.ts only; use app.config',
        /\bprocess\s*\??\.\s*env\b/g,
        /\{[^{}]*\benv\b[^{}]*\}\s*=\s*process\b/g,
      )(file),
      ...imported('the environment is read in platform/config.ts only', ({ module, names }) => {
        return /^(?:node:)?process$/.test(module) && names.some((name) => /\benv\b/.test(name));
      })(file),
    ],
  },
  {
    name: 'outside',
    where: serviceBut(...FETCH_PLACES),
    breaches: (file) => [
      ...found(
        'only adapters and the webhook sender call external systems',
        /(?<![.\w$])fetch\s*\(/g,
        /\bglobalThis\s*\.\s*fetch\b/g,
      )(file),
      ...imported('undici belongs to adapters and the webhook sender', ({ module }) =>
        /^undici(?:$|\/)/.test(module),
      )(file),
    ],
  },
  {
    name: 'sql',
    where: (path) => serviceBut(...SQL_PLACES, 'packages/server/src/compose.ts')(path) && !isStore(path),
    breaches: imported(
      'SQL is written in store.ts files, platform/db and platform/jobs; elsewhere only types of kysely and pg',
      ({ module, typeOnly }) => /^(?:kysely|pg)(?:$|\/)/.test(module) && !typeOnly,
    ),
  },
  {
    name: 'work',
    where: serviceBut(),
    breaches: ({ code }) => {
      const blocks = workBlocks(code);
      const message =
        'app. inside a work block: an effect in the middle of a transaction; do it before or after';
      return [...code.matchAll(/(?<![.\w$])app\s*\??\.(?!\.)/g)]
        .filter(({ index }) => blocks.some(({ from, to }) => index >= from && index < to))
        .map(({ index }) => ({ offset: index, message }));
    },
  },
  {
    name: 'private',
    where: (path) => !path.startsWith(PRIVATE_INTERFACES) && !path.startsWith('tools/code-rules/'),
    breaches: found(
      `a private interface of pg or kysely: only ${PRIVATE_INTERFACES} uses them`,
      /\bpg\s*\.\s*Query\b/g,
      /\bprepareValue\b/g,
      /\b(?:getExecutor|withConnectionProvider)\b/g,
      /\bconnection\s*\??\.\s*(?:stream|_send|parse|bind|parsedStatements)\b/g,
      /\b(?:_writev|_queryable|_activeQuery|_queryQueue|_sentQueryQueue|_txStatus|_parsers)\b/g,
    ),
  },
  {
    name: 'queue-tables',
    where: (path) => path !== QUEUE_TABLES && !path.startsWith('tools/code-rules/'),
    breaches: ({ source }) =>
      [...source.matchAll(/\bgraphile_worker\._private_/g)].map(({ index }) => ({
        offset: index,
        message: `a private table of the queue: only ${QUEUE_TABLES} names them`,
      })),
  },
  {
    name: 'interface',
    where: () => true,
    breaches: found('no I before the name of an interface', /\b(?:interface|type)\s+I[A-Z][a-z]\w*/g),
  },
  {
    // A schema.ts is an entry point: it may re-export from another file of its folder.
    name: 'barrel',
    where: (path) => !path.endsWith('/schema.ts'),
    breaches: found('no barrels: import from the file that defines it', /\bexport\s*\*(?!\s*as\b)/g),
  },
];
