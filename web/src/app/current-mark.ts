import { paths } from '../lib/paths.ts';

const isUnder = (pathname: string, path: string) => pathname === path || pathname.startsWith(`${path}/`);

/** `aria-current` of a navigation link: `page` on its own page, `true` on a page that belongs to it. */
export function currentMark(link: string, pathname: string): 'page' | 'true' | undefined {
  const page = pathname.replace(/(?<=.)\/$/u, '');
  if (page === link) return 'page';
  // The write page has a link of its own.
  const isVentPage = isUnder(page, paths.vent) && page !== paths.createVent;
  return link === paths.vents && (isVentPage || page === paths.myVents) ? 'true' : undefined;
}
