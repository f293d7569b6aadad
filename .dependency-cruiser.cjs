/*
 * Who may import whom: design rules, checked by `npm run check:imports`. That no two folders import each other, at any
 * level, is checked by tools/code-rules.
 * TypeScript 7 has no API, so swc parses; it does not tell `import type` from `import`, and neither do the rules
 * (a cycle of types is a cycle). Who writes SQL needs that difference, so tools/code-rules checks it.
 */

// Without its parser dependency-cruiser would find no modules and be content.
require.resolve('@swc/core');

const TEST = '[.]test[.]ts$';
const SRC = '^packages/server/src/';
const READER = '^packages/report-reader/src/';
const COMPOSE = `${SRC}(?:compose|data-lifecycle|identity-routes|lab-testing-routes)[.]ts$`;

/** Groups of modules; their modules are one level deeper. All other folders of src/ are modules themselves. */
const GROUPS = 'analytics|delivery|identity|laboratories|ordering|results|scheduling|users';
/** What is not a module: its files are imported directly, by rules of their own. */
const NO_MODULES = 'platform|adapters|cli';

const MODULE = `${SRC}((?:${GROUPS})/[^/]+|(?!(?:${NO_MODULES}|${GROUPS})/)[^/]+)/`;

/** What other modules may import: the file named like its folder, and three others. */
const ENTRY_POINTS = [
  `${SRC}(?:(?:${GROUPS})/)?([^/]+)/\\1[.]ts$`,
  `${SRC}(?:(?:${GROUPS})/)?[^/]+/(?:schema|events|status)[.]ts$`,
];

const npm = (names) => `(?:^|node_modules/)(?:${names})(?:/|$)`;

const forbid = (name, comment, { from, to }) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('platform-knows-no-module', 'platform imports no module and no adapter.', {
      from: { path: `${SRC}platform/` },
      to: { path: [`${SRC}(?!platform/)`, READER] },
    }),
    forbid('db-knows-no-jobs', 'The job queue uses the database layer, never the other way round.', {
      from: { path: `${SRC}platform/db/` },
      to: { path: `${SRC}platform/jobs/` },
    }),
    forbid(
      'drivers-behind-their-interface',
      'The database drivers are entered by choose-driver.ts; all others know driver.ts.',
      {
        from: {
          path: SRC,
          pathNot: [`${SRC}platform/db/(?:fast|plain)/`, `${SRC}platform/db/choose-driver[.]ts$`],
        },
        to: { path: `${SRC}platform/db/(?:fast|plain)/` },
      },
    ),
    forbid('plain-driver-stands-alone', 'The plain driver uses nothing of the fast one.', {
      from: { path: `${SRC}platform/db/plain/` },
      to: { path: `${SRC}platform/db/fast/` },
    }),
    forbid(
      'adapters-know-platform',
      'An adapter imports only platform and its own folder: modules call adapters. Readings have one form for all sources.',
      {
        from: { path: `${SRC}adapters/([^/]+)/` },
        to: {
          path: SRC,
          pathNot: [`${SRC}platform/`, `${SRC}adapters/$1/`, `${SRC}readings/(?:readings|schema)[.]ts$`],
        },
      },
    ),
    forbid(
      'only-ports',
      'Only compose.ts chooses the implementations of adapters; all others know the port.',
      {
        from: { path: SRC, pathNot: [COMPOSE, `${SRC}adapters/`, TEST] },
        to: { path: `${SRC}adapters/`, pathNot: `${SRC}adapters/[^/]+/port[.]ts$` },
      },
    ),
    forbid(
      'by-the-entry-point',
      'A module is imported by the file named like its folder, or by schema, events, status.',
      {
        from: { path: MODULE, pathNot: TEST },
        to: { path: MODULE, pathNot: [`${SRC}$1/`, ...ENTRY_POINTS] },
      },
    ),
    forbid(
      'by-the-entry-point-from-outside',
      'What is not a module uses entry points, too; only compose.ts knows more.',
      {
        from: { path: `${SRC}(?:[^/]+$|cli/)`, pathNot: [COMPOSE, TEST] },
        to: { path: MODULE, pathNot: ENTRY_POINTS },
      },
    ),
    forbid('groups-hold-modules', 'A group has no files of its own.', {
      from: { path: `${SRC}(?:${GROUPS})/[^/]+$` },
      to: {},
    }),
    forbid(
      'orders-know-no-satellite',
      'Calls go down, events go up: orders never import the modules above them.',
      {
        from: { path: `${SRC}ordering/orders/` },
        to: { path: `${SRC}(?:ordering/shipments|results|scheduling|documents|simulation)/` },
      },
    ),
    forbid('events-know-no-module', 'Events know none of the modules that emit them.', {
      from: { path: `${SRC}events/`, pathNot: TEST },
      to: { path: MODULE, pathNot: `${SRC}events/` },
    }),
    forbid('only-start-imports-compose', 'Only what starts the service imports compose.ts.', {
      from: { path: `${SRC}(?:[^/]+/)`, pathNot: [`${SRC}cli/`, TEST] },
      to: { path: `${SRC}(?:compose|route-table|service)[.]ts$` },
    }),
    forbid('one-web-framework', 'Only platform/http knows the web framework.', {
      from: { path: SRC, pathNot: [`${SRC}platform/http/`, COMPOSE] },
      to: { path: npm('fastify|fastify-[^/]*|@fastify') },
    }),
    forbid('report-reader-stands-alone', 'The report reader knows nothing of the service.', {
      from: { path: '^packages/report-reader/' },
      to: { path: '^packages/server/' },
    }),
    forbid('report-reader-by-its-name', 'The service uses what the package of the report reader exports.', {
      from: { path: SRC },
      to: {
        path: READER,
        pathNot: `${READER}(?:report-reader|values|loinc-search|files/files|coding/read-loinc-csv)[.]ts$`,
      },
    }),
    forbid('src-stands-alone', 'Packages do not need their tests, benches and tools.', {
      from: { path: [SRC, READER], pathNot: TEST },
      to: { path: '^(?:packages/[^/]+/test|bench|tools)/' },
    }),
    forbid('no-dev-packages', 'The service runs without devDependencies.', {
      from: { path: [SRC, READER], pathNot: TEST },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm', 'npm-optional'],
        pathNot: npm('@types'),
      },
    }),
    forbid('no-undeclared-packages', 'A package declares what it imports.', {
      from: { path: [SRC, READER], pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    }),
    forbid('no-cycles', 'No cycles.', { from: {}, to: { circular: true } }),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // swc reads no JSX here. That the dashboard imports nothing of the service is the rootDir of its tsconfig.json.
    exclude: { path: '(?:^|/)(?:dist|coverage)/|^packages/dashboard/' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
