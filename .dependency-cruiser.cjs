/*
 * Who may import whom: design rules, checked by `npm run check:imports`.
 * TypeScript 7 has no API, so swc parses; it does not tell `import type` from `import`, and neither do the rules
 * (a cycle of types is a cycle). Who writes SQL needs that difference, so tools/code-rules checks it.
 */

// Without its parser dependency-cruiser would find no modules and be content.
require.resolve('@swc/core');

const TEST = '[.]test[.]ts$';
const BUILD = '^src/build[.]ts$';

/** A module is a folder of src/ or of src/lab-testing/. These folders are not modules. */
const MODULE = '^src/(lab-testing/[^/]+|(?!(?:platform|adapters|lab-testing|cli)/)[^/]+)/';

/** What other modules may import: the file named like its folder, and three others. */
const ENTRY_POINTS = [
  '^src/(?:lab-testing/)?([^/]+)/\\1[.]ts$',
  '^src/(?:lab-testing/)?[^/]+/(?:schema|events|status)[.]ts$',
];

const npm = (names) => `(?:^|node_modules/)(?:${names})(?:/|$)`;

const forbid = (name, comment, { from, to }) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    forbid('platform-knows-no-module', 'platform imports no module and no adapter.', {
      from: { path: '^src/platform/' },
      to: { path: '^src/(?!platform/)' },
    }),
    forbid(
      'adapters-know-platform',
      'An adapter imports only platform and its own folder: modules call adapters. Readings have one form for all sources.',
      {
        from: { path: '^src/adapters/([^/]+)/' },
        to: {
          path: '^src/',
          pathNot: ['^src/platform/', '^src/adapters/$1/', '^src/readings/(?:readings|schema)[.]ts$'],
        },
      },
    ),
    forbid('only-ports', 'Only build.ts chooses the implementations of adapters; all others know the port.', {
      from: { path: '^src/', pathNot: [BUILD, '^src/adapters/', TEST] },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/[^/]+/port[.]ts$' },
    }),
    forbid(
      'by-the-entry-point',
      'A module is imported by the file named like its folder, or by schema, events, status.',
      {
        from: { path: MODULE, pathNot: TEST },
        to: { path: MODULE, pathNot: ['^src/$1/', ...ENTRY_POINTS] },
      },
    ),
    forbid(
      'by-the-entry-point-from-outside',
      'What is not a module uses entry points, too; only build.ts knows more.',
      {
        from: { path: '^src/(?:[^/]+$|cli/|lab-testing/[^/]+$)', pathNot: [BUILD, TEST] },
        to: { path: MODULE, pathNot: ENTRY_POINTS },
      },
    ),
    forbid(
      'orders-know-no-satellite',
      'Calls go down, events go up: orders never import the modules above them.',
      {
        from: { path: '^src/lab-testing/orders/' },
        to: { path: '^src/lab-testing/(?:shipments|results|appointments|documents)/' },
      },
    ),
    forbid('events-know-no-module', 'Events know none of the modules that emit them.', {
      from: { path: '^src/events/', pathNot: TEST },
      to: { path: MODULE, pathNot: '^src/events/' },
    }),
    forbid('only-start-imports-build', 'Only what starts the service imports build.ts.', {
      from: { path: '^src/(?:[^/]+/)', pathNot: ['^src/cli/', TEST] },
      to: { path: '^src/(?:build|route-table|main)[.]ts$' },
    }),
    forbid('one-web-framework', 'Only platform/http knows the web framework.', {
      from: { path: '^src/', pathNot: ['^src/platform/http/', BUILD] },
      to: { path: npm('fastify|fastify-[^/]*|@fastify') },
    }),
    forbid('src-stands-alone', 'The service does not need its tests, benches and tools.', {
      from: { path: '^src/', pathNot: TEST },
      to: { path: '^(?:test|bench|tools)/' },
    }),
    forbid('no-dev-packages', 'The service runs without devDependencies.', {
      from: { path: '^src/', pathNot: TEST },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['npm', 'npm-optional'],
        pathNot: npm('@types'),
      },
    }),
    forbid('no-cycles', 'No cycles.', { from: {}, to: { circular: true } }),
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(?:dist|coverage)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.json'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
