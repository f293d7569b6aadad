import { describe, expect, it } from 'vitest';
import { AppSchemes, appSchemeOf, isWebUrl } from './link-url.ts';

describe('a web URL', () => {
  it.each([
    'https://app.example.com/done?let-me-in=secret#here',
    'HTTPS://APP.example.com',
    'https://app.example.com:8443/a%20b',
    'http://localhost:3000/',
    'http://127.0.0.1/back',
    'http://[::1]:8080/back',
  ])('can be %s', (text) => expect(isWebUrl(text)).toBe(true));

  it.each([
    ['http of another host', 'http://app.example.com/'],
    ['http of a host that begins like a loopback one', 'http://localhost.example.com/'],
    ['http of every interface', 'http://0.0.0.0/'],
    ['credentials', 'https://a:b@example.com/'],
    ['an empty user name', 'https://@example.com/'],
    ['a space', 'https://x.example/a b'],
    ['a leading space', ' https://x.example/'],
    ['a line feed, which browsers remove', 'https://x.example/\nlocation:'],
    ['a tab in the scheme', 'java\tscript:alert(1)'],
    ['a control character', 'https://x.example/\u0001'],
    ['a backslash, which browsers read as a slash', 'https://good.example\\@evil.example/'],
    ['two backslashes', 'https:\\\\evil.example/'],
    ['no slashes', 'https:evil.example'],
    ['one slash', 'https:/evil.example'],
    ['three slashes', 'https:///evil.example'],
    ['no host', 'https://'],
    ['no scheme', '//evil.example/'],
    ['no URL', 'no address'],
    ['a URL that is too long', `https://x.example/${'a'.repeat(2083)}`],
    ['an app', 'myapp://done'],
  ])('cannot have %s', (_name, text) => expect(isWebUrl(text)).toBe(false));
});

describe('the URL of an app', () => {
  it.each([
    ['myapp://done', 'myapp'],
    ['MyApp://done?x=1', 'myapp'],
    ['com.example.app:/oauth', 'com.example.app'],
    ['a+b-c.9://x', 'a+b-c.9'],
  ])('%s has the scheme %s', (text, scheme) => expect(appSchemeOf(text)).toBe(scheme));

  // prettier-ignore
  it.each([
    'javascript:alert(1)', 'JavaScript://x/%0aalert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc/passwd',
    'blob:https://x.example/1', 'intent://x#Intent;scheme=http;end', 'android-app://x', 'content://x', 'about:blank',
    'view-source:https://x.example', 'filesystem:https://x.example', 'chrome-extension://x', 'ms-msdt:/id',
    'search-ms:query=x', 'jar:https://x.example!/', 'mailto:a@x.example', 'ws://x.example', 'https://x.example',
    'myapp://a:b@done', 'my\\app://done', 'myapp://do ne', 'my_app://done', '1app://done', 'myapp',
  ])('%s belongs to no app', (text) => expect(appSchemeOf(text)).toBeUndefined());
});

describe('the schemes of a team', () => {
  it('are stored in lower case, each once', () =>
    expect(AppSchemes.parse(['MyApp', 'myapp', 'com.example.app'])).toEqual(['myapp', 'com.example.app']));

  it.each(['javascript', 'JAVASCRIPT', 'https', 'my app', 'myapp:', 'myapp://', '', 'é', 'ms-settings'])(
    'cannot be %j',
    (scheme) => expect(AppSchemes.safeParse([scheme]).success).toBe(false),
  );
});
