/**
 * A scheduler that is LATENCY_MS away and costs nothing else: it generates its slots once for each question and repeats
 * that answer. It implements the part of docs/reference/scheduling-protocol.md that the availability-cache bench needs.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { createSimulatedSchedulingProvider } from '../packages/server/src/adapters/scheduling/simulated.ts';
import { AvailabilityRequestBody, toWireSlot } from '../packages/server/src/adapters/scheduling/wire.ts';

const environment = z.object({ PORT: z.coerce.number(), LATENCY_MS: z.coerce.number() }).parse(process.env);
const simulated = createSimulatedSchedulingProvider('quest');
const answersByQuestion = new Map<string, string>();

async function answerTo(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  const question = text.replace(/"asked_at":"[^"]*"/, '');
  const known = answersByQuestion.get(question);
  if (known !== undefined) return known;
  const answered = await simulated.availability(AvailabilityRequestBody.parse(JSON.parse(text)));
  const places = answered.map(({ place, slots }) => ({ code: place.code, slots: slots.map(toWireSlot) }));
  const answer = JSON.stringify({ places });
  answersByQuestion.set(question, answer);
  return answer;
}

const server = createServer(async (asked, answer) => {
  if (asked.url === '/readyz') return void answer.end('{}');
  const [text] = await Promise.all([answerTo(asked), wait(environment.LATENCY_MS)]);
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.end(text);
});
server.listen(environment.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
