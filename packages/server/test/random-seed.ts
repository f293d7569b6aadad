import fc from 'fast-check';

/**
 * Property tests use the same values in every run, so that a failure is caused by the change. `FC_SEED=7 npm test` uses
 * other values, `FC_SEED=random` a random seed, which a failure prints.
 */
const { FC_SEED: seed = '1' } = process.env;
if (seed !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
