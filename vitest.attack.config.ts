import { defineConfig } from 'vitest/config';
import suite from './vitest.config.ts';

/** `npm run attack`: the attacks of the suite in full size, with their figures. */
export default defineConfig({
  ...suite,
  test: {
    ...suite.test,
    include: ['packages/server/test/attack/attack.test.ts'],
    env: { ATTACK_SIZE: 'full' },
    maxWorkers: 1,
  },
});
