import { afterAll, beforeAll } from 'vitest';
import type { Environment } from '../src/platform/tenant.ts';
import { openTestService, type TestService, type TestTeam } from './service.ts';

/** Opens a test service before the tests of a file and closes it after them. It can be used once they run. */
export function useTestService(settings: Record<string, string> = {}): TestService {
  let opened: TestService | undefined;
  beforeAll(async () => {
    opened = await openTestService(settings);
  });
  afterAll(() => opened?.close());
  return lateBound(() => opened, 'The test service');
}

/** A team that the tests of a file share, created before them. It can be used once they run. */
export function useTestTeam(service: TestService, environment: Environment = 'sandbox'): TestTeam {
  let created: TestTeam | undefined;
  beforeAll(async () => {
    created = await service.team(environment);
  });
  return lateBound(() => created, 'The team of the tests');
}

/** An object that stands for one that does not exist yet. Throws if it is used too early. */
export function lateBound<T extends object>(find: () => T | undefined, name: string): T {
  const found = (): T => {
    const object = find();
    if (!object) throw new Error(`${name} was used before beforeAll had created it`);
    return object;
  };
  return new Proxy<T>(Object.create(null), {
    get: (_target, key) => Reflect.get(found(), key),
    set: (_target, key, value) => Reflect.set(found(), key, value),
    has: (_target, key) => Reflect.has(found(), key),
    ownKeys: () => Reflect.ownKeys(found()),
    getOwnPropertyDescriptor: (_target, key) => Reflect.getOwnPropertyDescriptor(found(), key),
  });
}
