/** Progressive enhancement: filter, keyboard shortcut, current section. The page is complete without it. */
export const SCRIPT = `
const byId = (id) => document.getElementById(id);
const menu = byId('page-menu');
const wide = matchMedia('(min-width: 60rem)');
const fit = () => { menu.open = wide.matches; };
fit();
wide.addEventListener('change', fit);
menu.addEventListener('click', ({ target }) => {
  if (!wide.matches && target.closest('a')) menu.open = false;
});

for (const place of document.querySelectorAll('[data-origin]')) {
  if (location.protocol.startsWith('http'))
    place.textContent = location.origin + location.pathname.replace(/\\/reference\\/?$/, '');
}

const filter = byId('page-filter');
const field = filter.querySelector('input');
const items = [...menu.querySelectorAll('li')];
const textOf = (item) => {
  const { hash } = item.querySelector('a');
  const path = byId(decodeURIComponent(hash.slice(1)))?.querySelector('.path');
  return (item.textContent + hash + ' ' + (path?.textContent ?? '')).toLowerCase();
};
let texts;
filter.hidden = false;
field.addEventListener('input', () => {
  texts ??= new Map(items.map((item) => [item, textOf(item)]));
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const item of items) item.hidden = !words.every((word) => texts.get(item).includes(word));
  for (const group of menu.querySelectorAll('section')) group.hidden = !group.querySelector('li:not([hidden])');
  menu.querySelector('.schemas').open = words.length > 0;
  byId('page-found').textContent = items.every((item) => item.hidden) ? 'No matches.' : '';
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input') || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  menu.open = true;
  field.focus();
});

const links = new Map([...menu.querySelectorAll('a')].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
let current;
const watch = new IntersectionObserver((seen) => {
  const entered = seen.find(({ isIntersecting }) => isIntersecting);
  const link = entered && links.get(entered.target.id);
  if (!link || link === current) return;
  current?.removeAttribute('aria-current');
  current = link;
  current.setAttribute('aria-current', 'location');
  if (wide.matches) current.scrollIntoView({ block: 'nearest' });
}, { rootMargin: '-15% 0px -80% 0px' });
for (const article of document.querySelectorAll('article')) watch.observe(article);
`;
