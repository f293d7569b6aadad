import { hash, verify } from '@node-rs/argon2';
import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { invalidField } from '../../platform/errors.ts';

/** The second choice of OWASP: 19 MiB, two passes, one lane. argon2id is the default of the library. */
const ARGON2ID = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;
/** Of 4: a hundred million guesses do not find it. */
const SCORE_MIN = 3;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loaded with the first new password, because its word lists would delay every start. */
const openEstimator = (): Promise<ZxcvbnFactory> =>
  (estimator ??= (async () => {
    const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common'),
    ]);
    return new Factory({ dictionary, graphs: adjacencyGraphs });
  })());

export const hashPassword = (password: string): Promise<string> => hash(normalize(password), ARGON2ID);

/** The hash of random bytes that were thrown away, with the parameters above: verifying it costs the same. */
const DECOY =
  '$argon2id$v=19$m=19456,t=2,p=1$QvG+e/mAvpqrWkhdbNIqgw$SzN3EAtiWksD25o+Tky31IQa3GPzDtK7QXTg9x46N4k';

/** Without a hash it takes as long, and is false. */
export async function verifyPassword(password: string, known: string | undefined): Promise<boolean> {
  const isRight = await verify(known ?? DECOY, normalize(password));
  return known !== undefined && isRight;
}

/** The same characters are the same password, whichever keyboard composed them. */
const normalize = (password: string): string => password.normalize('NFKC');

/** 422 for a password that attackers try early, or that is made of what is known about the member. */
export async function requireStrongPassword(
  password: string,
  { name, email }: { name: string; email: string },
): Promise<void> {
  const words = [name, email, name.replaceAll(/\s/g, ''), ...name.split(/\s+/), ...email.split(/[@.]/)];
  const known = words.filter((part) => part.length > 2);
  const ready = await openEstimator();
  if (ready.check(password, known).score >= SCORE_MIN) return;
  throw invalidField(
    ['body', 'password'],
    'expected a password that is hard to guess: it is common, or made of common words, dates or your name',
  );
}
