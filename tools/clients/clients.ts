/**
 * `npm run clients`: calls every method of published SDKs against the running service, with the keys in DATA_DIR, and
 * prints a table: method, result, why not. Ends with 1 if a method failed.
 *
 *   npm run clients -- [--node FOLDER]... [--python FOLDER]... [--url URL] [--only METHOD] [--all]
 *
 * --node is the folder of an installed package, and --python a checkout of an SDK's source, whose requirements PYTHON
 * (by default python3) has. Without either, the Node SDK is called that developers of this project have.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readCredentials, serviceUrl } from '../../packages/server/src/cli/remote.ts';
import { readConfig } from '../../packages/server/src/platform/config.ts';
import { openApi } from './api.ts';
import { prepareCall } from './arguments.ts';
import { openNodeSdk } from './node-sdk.ts';
import { openOperationFinder, type OperationFinder } from './operation-of.ts';
import { OPERATIONS } from './preparations.ts';
import { openPythonSdk } from './python-sdk.ts';
import { refusalOf } from './refusals.ts';
import type { Sdk, SdkCall } from './sdk.ts';
import { openWorld, type World } from './world.ts';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    node: { type: 'string', multiple: true, default: [] },
    python: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});

interface MethodResult {
  readonly method: string;
  readonly operation: string;
  readonly result: 'ok' | 'refused' | 'failed';
  readonly why: string;
}

interface Trial {
  readonly sdk: Sdk;
  readonly world: World;
  readonly finder: OperationFinder;
  readonly url: string;
}

async function tryMethod({ sdk, world, finder, url }: Trial, example: SdkCall): Promise<MethodResult> {
  const { method } = example;
  const operation = OPERATIONS[method] ?? (await finder.operationOf(sdk, example));
  try {
    const outcome = await sdk.call(url, await prepareCall({ sdk, world, operation }, example));
    if (outcome.ok) return { method, operation, result: 'ok', why: '' };
    const why = refusalOf(operation, outcome.reason);
    return { method, operation, result: why ? 'refused' : 'failed', why: why ?? outcome.reason };
  } catch (error) {
    return { method, operation, result: 'failed', why: `not prepared: ${String(error)}` };
  }
}

/** Calls each method once; a method without an example is one that failed. */
async function tryMethods(trial: Trial): Promise<MethodResult[]> {
  const { methods, examples } = trial.sdk;
  const rows: MethodResult[] = [];
  for (const method of methods.filter((name) => name.includes(options.only))) {
    const example = examples.find((each) => each.method === method);
    if (example) rows.push(await tryMethod(trial, example));
    else rows.push({ method, operation: '', result: 'failed', why: 'it has no example in the reference' });
  }
  return rows;
}

const WHY_LENGTH = 300;

function printRows({ name, version }: Sdk, rows: readonly MethodResult[]): void {
  const shown = rows.filter(({ result }) => options.all || result !== 'ok');
  const width = Math.max(0, ...shown.map(({ method }) => method.length));
  const count = (result: MethodResult['result']) => rows.filter((row) => row.result === result).length;
  console.log(`\n${name} ${version}`);
  for (const { method, operation, result, why } of shown)
    console.log(
      `  ${method.padEnd(width)}  ${result.padEnd(7)}  ${operation}  ${why.replace(/\s+/g, ' ').slice(0, WHY_LENGTH)}`,
    );
  console.log(
    `  ${rows.length} methods: ${count('ok')} ok, ${count('refused')} rightly refused, ${count('failed')} failed`,
  );
}

const config = readConfig();
const kept = await readCredentials(config.DATA_DIR);
if (!kept) {
  console.error(`There is no credentials.json in ${config.DATA_DIR}. Start the service with: npm start`);
  process.exit(1);
}
const url = options.url ?? serviceUrl(config);
const key = { apiKey: kept.team_api_key };
const account = {
  api: openApi(url, { [`x-${config.BRAND}-api-key`]: kept.team_api_key }),
  management: openApi(url, { 'x-management-key': kept.management_key }),
  managed: `/v1/org/${kept.org_id}/team/${kept.team_id}/sandbox`,
};
const installed = resolve(dirname(fileURLToPath(import.meta.resolve('@junction-api/sdk'))), '../..');
const nodeFolders = options.node.length + options.python.length > 0 ? options.node : [installed];
const finder = await openOperationFinder(url);
const sdks = [
  ...nodeFolders.map((folder) => () => openNodeSdk(resolve(folder), key)),
  ...options.python.map((folder) => () => openPythonSdk(resolve(folder), key)),
];
let failures = 0;
for (const open of sdks) {
  const sdk = await open();
  const rows = await tryMethods({ sdk, world: await openWorld(account), finder, url });
  printRows(sdk, rows);
  failures += rows.filter(({ result }) => result === 'failed').length;
  await sdk.close();
}
await finder.close();
// Timers of the SDKs for their time-outs outlive the calls.
process.exit(failures === 0 ? 0 : 1);
