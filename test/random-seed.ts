import fc from 'fast-check';

/**
 * Property tests draw the same values in every run: a change is judged by what it changes. `FC_SEED=7 npm test` draws others;
 * `FC_SEED=random` lets chance decide, and a failure names its seed.
 */
const { FC_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
