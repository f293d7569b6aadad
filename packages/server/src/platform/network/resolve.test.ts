import { expect, it } from 'vitest';
import { openResolver, resolveAddresses, type LookupCallback } from './resolve.ts';

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

it('leaves a thread to others when every name that responded stops responding', () => {
  const system = inHand();
  const resolve = openResolver(system.ask);
  const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.example`);
  for (const name of names) {
    resolve(name, () => {});
    system.answer(name);
  }
  for (const name of [...names, 'new.example']) resolve(name, () => {});
  expect([...system.asked.keys()]).toEqual(names.slice(0, 3));
  system.answer('a.example');
  expect([...system.asked.keys()]).toEqual(['b.example', 'c.example', 'd.example']);
});

it('gives the addresses of a name, an address as it is, and an error for a name without', async () => {
  const system = inHand();
  const pending = resolveAddresses('a.example', system.ask);
  system.answer('a.example');
  expect(await pending).toEqual(['8.8.8.8']);
  expect(await resolveAddresses('2001:db8::1', system.ask)).toEqual(['2001:db8::1']);
  const failing = resolveAddresses('b.example', (_host, found) => found(new Error('ENOTFOUND'), []));
  await expect(failing).rejects.toThrow('b.example could not be resolved');
});
