/** Every address a person can be at. */
export const paths = {
  home: '/',
  login: '/login',
  signup: '/signup',
  vents: '/vents',
  vent: '/vent',
  createVent: '/vent/create',
  searchVents: '/vent/search',
  myVents: '/myvents',
  matches: '/matches',
  settings: '/settings',
  terms: '/terms',
  privacy: '/privacy',
  faq: '/faq',
  support: '/support',
} as const;

export function ventPath(id: string): string {
  return `${paths.vent}/${encodeURIComponent(id)}`;
}

/** Where the search page looks for one hashtag. */
export function hashtagPath(tag: string): string {
  return `${paths.searchVents}?query=${encodeURIComponent(`#${tag}`)}`;
}

/** Where somebody writes a vent; that needs no connection. */
export function hasComposer(path: string): boolean {
  return path === paths.vents || path === paths.createVent;
}

const ownPages = new Set<string>([paths.vent, paths.createVent, paths.searchVents]);

/** A link to one vent, which someone may have been sent: worth coming back to after signing in. */
export function isOneVent(path: string): boolean {
  return /^\/vent\/[^/]+\/?$/u.test(path) && !ownPages.has(path.replace(/\/$/u, ''));
}
