import { describe, expect, it } from 'vitest';
import { validate, version } from 'uuid';
import { newId, newRandomId } from './ids.ts';

const MANY = 20_000;

describe('an id', () => {
  it('is one of version 7, and no other one is the same or earlier', () => {
    const ids = Array.from({ length: MANY }, newId);
    expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
    expect(new Set(ids).size).toBe(MANY);
    expect(ids.toSorted()).toEqual(ids);
  });

  it('tells nobody the next one: what is random in it is drawn for each', () => {
    // Of 44 random bits two of a thousand are the same once in thirty million runs.
    const ends = Array.from({ length: 1000 }, () => newId().slice(-11));
    expect(new Set(ends).size).toBe(1000);
  });

  it('that is random is one of version 4', () => {
    expect(version(newRandomId())).toBe(4);
  });
});
