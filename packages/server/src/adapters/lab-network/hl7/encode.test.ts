import { describe, expect, it } from 'vitest';
import { ORDER_CHARACTER_SETS } from '../protocol.ts';
import { decodeMessage } from './charset.ts';
import { encodeText } from './encode.ts';

describe('an order', () => {
  // prettier-ignore
  it.each([
    ['UNICODE UTF-8', 'Zoë Ångström, Łukasz', 'Zoë Ångström, Łukasz'],
    ['8859/1',        'Zoë Ångström, Łukasz', 'Zoë Ångström, Lukasz'],
    ['8859/2',        'Łódź, Ångström',       'Łódź, Angström'],
    ['8859/9',        'Şişli Ångström',       'Şişli Ångström'],
    ['8859/15',       'Œuvre 5 €',            'Œuvre 5 €'],
    ['8859/1',        'Œuvre – D’Angelo',     "OEuvre - D'Angelo"],
    ['ASCII',         'Zoe\u0308 Strauß Ðorđe Nguyễn', 'Zoe Strauss Dorde Nguyen'],
    ['ASCII',         'Zoë 山',               'Zoe _'],
  ] as const)('in %s writes %s as %s', (charset, text, written) => {
    const message = Buffer.concat([
      Buffer.from(`MSH|^~\\&||||||||||||||||${charset}\r`),
      encodeText(text, charset),
    ]);
    expect(decodeMessage(message).split('\r')[1]).toBe(written);
  });

  it.each(ORDER_CHARACTER_SETS)('in %s has no question mark that was not written', (charset) => {
    expect(encodeText('Zoë Ångström Łukasz Ő ﬁ', charset).includes('?')).toBe(false);
  });
});
