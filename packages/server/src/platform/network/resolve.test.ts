import { expect, it } from 'vitest';
import { openResolver, type LookupCallback } from './resolve.ts';

/** A fake system resolver that answers when the test says so. */
function inHand() {
  const asked = new Map<string, LookupCallback>();
  return {
    asked,
    ask: (hostname: string, found: LookupCallback) => void asked.set(hostname, found),
    answer: (hostname: string) => {
      const found = asked.get(hostname);
      asked.delete(hostname);
      found?.(null, [{ address: '8.8.8.8', family: 4 }]);
    },
  };
}

it('shares concurrent lookups of one name', () => {
  const system = inHand();
  const resolve = openResolver(system.ask);
  const answers: string[] = [];
  for (let times = 0; times < 3; times += 1) {
    resolve('a.example', (_error, found) => answers.push(...found.map(({ address }) => address)));
  }
  expect([...system.asked.keys()]).toEqual(['a.example']);
  system.answer('a.example');
  expect(answers).toEqual(['8.8.8.8', '8.8.8.8', '8.8.8.8']);
  resolve('a.example', () => {});
  expect(system.asked.size).toBe(1);
});

it('queues unknown names that hang, and never a name that is known to respond', () => {
  const system = inHand();
  const resolve = openResolver(system.ask);
  resolve('good.example', () => {});
  system.answer('good.example');
  for (const name of ['a', 'b', 'c', 'd', 'e']) resolve(`${name}.hangs.example`, () => {});
  expect([...system.asked.keys()]).toEqual(['a.hangs.example', 'b.hangs.example']);
  let answered = 0;
  resolve('good.example', () => (answered += 1));
  system.answer('good.example');
  expect(answered).toBe(1);
  system.answer('a.hangs.example');
  expect([...system.asked.keys()]).toEqual(['b.hangs.example', 'c.hangs.example']);
});
