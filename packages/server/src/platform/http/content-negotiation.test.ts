import { describe, expect, it } from 'vitest';
import { negotiateMediaType } from './content-negotiation.ts';

const [json, calendar] = ['application/json', 'text/calendar'] as const;

describe('the media type of a response', () => {
  // prettier-ignore
  it.each([
    [undefined,                                    json],
    ['',                                           json],
    ['*/*',                                        json],
    ['application/json, text/calendar',            json],
    ['text/calendar',                              calendar],
    ['TEXT/Calendar; charset=utf-8',               calendar],
    ['text/*, application/json;q=0.1',             calendar],
    ['text/calendar;q=0.3, application/json;q=0.2', calendar],
    ['text/calendar;q=0, */*',                     json],
    ['text/calendar;q=nonsense',                   json],
    ['image/png',                                  json],
    [';;;,,,=',                                    json],
  ])('for %j is %s', (header, type) => {
    expect(negotiateMediaType(header, [json, calendar])).toBe(type);
  });
});
