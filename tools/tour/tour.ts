/** `npm run tour`: plays the life of a test kit against a running service, as an API client, including webhooks. */
import { z } from 'zod';
import { readCredentials, serviceUrl } from '../../packages/server/src/cli/remote.ts';
import { readConfig } from '../../packages/server/src/platform/config.ts';
import { managementClient, teamClient, TourError, type TourAccess, type TourClient } from './client.ts';
import {
  chooseLabTest,
  createUser,
  completeOrder,
  missingWebhooks,
  orderKit,
  readResult,
  registerKit,
  sendKit,
  type TourOrder,
  type TourStage,
} from './steps.ts';
import { openPage } from './page.ts';
import { openReceiver } from './receiver.ts';

async function readAccess(): Promise<TourAccess & { webhooks: string }> {
  const config = readConfig();
  const kept = await readCredentials(config.DATA_DIR);
  if (!kept) {
    throw new TourError(
      `There is no credentials.json in ${config.DATA_DIR}.\nStart the service in another terminal with: npm start`,
    );
  }
  return {
    url: process.argv[2]?.replace(/\/+$/, '') ?? serviceUrl(config),
    brand: config.BRAND,
    teamKey: kept.team_api_key,
    managementKey: kept.management_key,
    webhooks: `/v1/org/${kept.org_id}/team/${kept.team_id}/sandbox/webhook`,
  };
}

interface TourEndpoint {
  remove(): Promise<void>;
}

async function createEndpoint(
  { page, receiver }: TourStage,
  { management, webhooks }: { management: TourClient; webhooks: string },
): Promise<TourEndpoint> {
  page.step('Create an endpoint', 'POST /v1/org/{org_id}/team/{team_id}/sandbox/webhook');
  const body = { url: receiver.url, description: 'npm run tour' };
  const { id } = await management.post({ path: webhooks, body, answer: z.object({ id: z.string() }) });
  const path = `${webhooks}/${id}`;
  const { key } = await management.get({ path: `${path}/secret`, answer: z.object({ key: z.string() }) });
  receiver.verifyWith(key, page.webhook);
  page.fact(`listening at ${receiver.url}`);
  return { remove: () => management.delete(path) };
}

async function play(stage: TourStage): Promise<{ order: TourOrder; results: number }> {
  const labTestId = await chooseLabTest(stage);
  const userId = await createUser(stage);
  const placed = await orderKit(stage, { userId, labTestId });
  await sendKit(stage, placed);
  const registered = await registerKit(stage, { userId, sampleId: placed.sample_id });
  const order = await completeOrder(stage, registered);
  const { results } = await readResult(stage, order);
  return { order, results: results.length };
}

/** Prints the summary. True if there is a result and a verified webhook for every step of the order. */
function conclude(
  { page, receiver }: TourStage,
  { order, results }: { order: TourOrder; results: number },
): boolean {
  const verified = receiver.received.filter((one) => one.verified).length;
  const unseen = missingWebhooks(order, receiver);
  const good = unseen.length === 0 && verified === receiver.received.length && results > 0;
  const wanting = [
    ...(results > 0 ? [] : ['The result is empty.']),
    ...unseen.map((status) => `No webhook for ${status} arrived.`),
  ];
  const count = `${receiver.received.length} webhooks received, ${verified} verified.`;
  page.closing([...wanting, count].join('\n'), good);
  return good;
}

async function tour(): Promise<boolean> {
  const page = openPage();
  const receiver = await openReceiver();
  let endpoint: TourEndpoint | undefined;
  const tidy = async () => {
    await endpoint?.remove();
    await receiver.close();
  };
  process.once('SIGINT', () => void tidy().finally(() => process.exit(1)));
  try {
    const here = await readAccess();
    const stage = { team: teamClient(here), page, receiver };
    page.title(here.url);
    endpoint = await createEndpoint(stage, { management: managementClient(here), webhooks: here.webhooks });
    return conclude(stage, await play(stage));
  } catch (error) {
    if (!(error instanceof TourError)) throw error;
    page.closing(error.message, false);
    return false;
  } finally {
    await tidy();
  }
}

process.exitCode = (await tour()) ? 0 : 1;
