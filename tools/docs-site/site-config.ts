import type { DefaultTheme, UserConfig } from 'vitepress';
import type { NavigationItem } from './navigation.ts';
import { addressOf } from './pages.ts';

/** What a build knows and the configuration needs; written as JSON into the staged folder. */
export interface SiteFacts {
  readonly version: string;
  /** The path of this version on the site, with `/` at both ends. */
  readonly base: string;
  readonly navigation: readonly NavigationItem[];
  readonly outDir: string;
}

/** The configuration of VitePress: no font, script or search of another host. */
export function siteConfig(facts: SiteFacts): UserConfig<DefaultTheme.Config> {
  return {
    lang: 'en',
    title: 'Aliquot',
    description: 'Lab testing, users and wearable events, in your own hands',
    base: facts.base,
    outDir: facts.outDir,
    cleanUrls: false,
    // check-site.ts follows every link, to its place on the page; other versions are built on their own.
    ignoreDeadLinks: true,
    markdown: {
      html: false,
      linkify: false,
      theme: { light: 'github-light', dark: 'github-dark' },
      anchor: { slugify: toAnchor },
    },
    // Each page exists as Markdown at its own address, for programs that read.
    transformHead: ({ pageData }) => [
      ['link', { rel: 'alternate', type: 'text/markdown', href: facts.base + pageData.relativePath }],
    ],
    head: [['link', { rel: 'icon', href: 'data:,' }]],
    themeConfig: {
      nav: [
        { text: 'Guides', link: '/index.html' },
        { text: 'API', link: '/api/index.html' },
        { text: 'Events', link: '/reference/events.html' },
        { text: 'Runbooks', link: '/runbooks/index.html' },
        {
          text: facts.version,
          items: [
            { text: 'Changelog', link: '/changelog.html' },
            { text: 'Other versions', link: '/versions.html' },
          ],
        },
      ],
      sidebar: facts.navigation.map(toSidebar),
      outline: { level: [2, 3] },
      search: { provider: 'local' },
    },
  };
}

/** The anchor that the public forge gives a heading, so that links to places work there and here. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');

const toSidebar = ({ text, link, collapsed, items }: NavigationItem): DefaultTheme.SidebarItem => ({
  text,
  ...(link === undefined ? {} : { link: addressOf(link) }),
  ...(collapsed === undefined ? {} : { collapsed }),
  ...(items === undefined ? {} : { items: items.map(toSidebar) }),
});
