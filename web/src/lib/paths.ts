/** Paths of all pages. */
export const paths = {
  home: '/',
  login: '/login',
  signup: '/signup',
  vents: '/vents',
  vent: '/vent',
  createVent: '/vent/create',
  searchVents: '/vent/search',
  oneVent: '/vent/:ventId',
  myVents: '/myvents',
  listen: '/listen',
  matches: '/matches',
  inbox: '/inbox',
  settings: '/settings',
  reports: '/reports',
  notices: '/notices',
  terms: '/terms',
  privacy: '/privacy',
  faq: '/faq',
  support: '/support',
  ledger: '/ledger',
  heard: '/heard',
  grievance: '/grievance',
} as const;

/** The home page with the profile first. */
export const profileHash = '#profile';

/** The part of Settings about the recovery code. */
export const recoveryHash = '#recovery';

export function ventPath(id: string): string {
  return `${paths.vent}/${encodeURIComponent(id)}`;
}

/** Path of a search for one hashtag, in the feed's own search. */
export function hashtagPath(tag: string): string {
  return `${paths.vents}?query=${encodeURIComponent(`#${tag}`)}`;
}

/** Whether a page has the vent composer. It works offline. */
export function hasComposer(path: string): boolean {
  return path === paths.vents || path === paths.createVent;
}

const openToSuspended = new Set<string>([paths.notices, paths.settings, paths.inbox]);

/** Whether a suspended account can use a page. All others lead to the notices. */
export function isOpenToSuspended(path: string): boolean {
  return openToSuspended.has(path.replace(/\/$/u, ''));
}

const ownPages = new Set<string>([paths.vent, paths.createVent, paths.searchVents]);

/** Whether a path is a link to one vent. Such a link may have been shared, so sign-in returns to it. */
export function isOneVent(path: string): boolean {
  return /^\/vent\/[^/]+\/?$/u.test(path) && !ownPages.has(path.replace(/\/$/u, ''));
}
