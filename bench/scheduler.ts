/**
 * A scheduler that is LATENCY_MS away and costs nothing else: it draws its slots once for a question, and answers the
 * same from then on. It speaks as much of docs/scheduling.md as the bench of the availability cache asks.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { simulatedScheduling } from '../src/adapters/scheduling/simulated.ts';
import { AvailabilityQuestion, slotOut } from '../src/adapters/scheduling/wire.ts';

const given = z.object({ PORT: z.coerce.number(), LATENCY_MS: z.coerce.number() }).parse(process.env);
const simulated = simulatedScheduling('quest');
const drawn = new Map<string, string>();

async function answerTo(asked: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of asked) parts.push(Buffer.from(part));
  const text = Buffer.concat(parts).toString('utf8');
  const question = text.replace(/"asked_at":"[^"]*"/, '');
  const known = drawn.get(question);
  if (known !== undefined) return known;
  const answered = await simulated.availability(AvailabilityQuestion.parse(JSON.parse(text)));
  const places = answered.map(({ place, slots }) => ({ code: place.code, slots: slots.map(slotOut) }));
  const answer = JSON.stringify({ places });
  drawn.set(question, answer);
  return answer;
}

const server = createServer(async (asked, answer) => {
  if (asked.url === '/readyz') return void answer.end('{}');
  const [text] = await Promise.all([answerTo(asked), wait(given.LATENCY_MS)]);
  answer.writeHead(200, { 'content-type': 'application/json' });
  answer.end(text);
});
server.listen(given.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
