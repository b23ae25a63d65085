import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { describe, expect, it, test } from 'vitest';
import { endSession, startSession } from '../../../lib/session.ts';
import { linkFrom, readListParams, listParamsToSearch } from '../list-params.ts';
import { Pager } from './pager.tsx';

const pager = (pageCount: number, olderThan?: string, address = '/vents') => (
  <I18nProvider i18n={i18n}>
    <MemoryRouter initialEntries={[address]}>
      <Pager pageCount={pageCount} olderThan={olderThan} />
    </MemoryRouter>
  </I18nProvider>
);

const show = (address: string, pageCount: number, olderThan?: string) =>
  render(pager(pageCount, olderThan, address));

describe('Pager', () => {
  it('has ten pages, and disables the empty ones instead of hiding them (S2.33, S2.45, S9.4)', () => {
    show('/vents?page=2', 3);
    const links = screen.getAllByRole('link', { name: /^Page/u });
    expect(links.map((link) => link.textContent)).toEqual(Array.from({ length: 10 }, (_, at) => `${at + 1}`));
    expect(
      links.filter((link) => link.getAttribute('aria-disabled') === 'true').map((link) => link.textContent),
    ).toEqual(['4', '5', '6', '7', '8', '9', '10']);
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('2');
  });

  it('keeps sort and search in its links, and omits the defaults', () => {
    show('/vents?sort=trending&page=2', 10);
    expect(screen.getByRole('link', { name: 'Page 3' }).getAttribute('href')).toBe(
      '/vents?sort=trending&page=3',
    );
    expect(screen.getByRole('link', { name: 'Page 1' }).getAttribute('href')).toBe('/vents?sort=trending');
  });

  it('turns to the next and the previous page above the numbers', () => {
    show('/vents?page=2', 3);
    const [newer, next, first] = screen.getAllByRole('link');
    expect([newer?.textContent, next?.textContent, first?.textContent]).toEqual(['Newer', 'Older', '1']);
    expect([newer?.getAttribute('href'), next?.getAttribute('href')]).toEqual(['/vents', '/vents?page=3']);
  });

  it('has no next page after the last, and no newer one before the first', () => {
    show('/vents?page=3', 3);
    expect(screen.queryByRole('link', { name: 'Older' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Newer' })).toBeTruthy();
    cleanup();
    show('/vents', 3);
    expect(screen.getByRole('link', { name: 'Older' })).toBeTruthy();
    expect(screen.queryByRole('link', { name: 'Newer' })).toBeNull();
    cleanup();
    // Trending is not in order of time.
    show('/vents?sort=trending&page=2', 3);
    expect(screen.getByRole('link', { name: 'Previous' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Next' })).toBeTruthy();
  });

  it('continues after page ten with a cursor', () => {
    show('/vents?before=v9', 10, 'v10');
    expect(screen.queryByRole('link', { current: 'page' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toBe('/vents?before=v10');
  });

  it('leads back the same way beyond page ten, and to page ten where the way is not known', () => {
    const newer = () => screen.getByRole('link', { name: 'Newer' }).getAttribute('href');
    const older = (olderThan: string) => {
      fireEvent.click(screen.getByRole('link', { name: 'Older' }));
      page.rerender(pager(10, olderThan));
    };
    const page = show('/vents?page=10', 10, 'v10');
    expect(newer()).toBe('/vents?page=9');
    older('v20');
    expect(newer()).toBe('/vents?page=10');
    older('v30');
    expect(newer()).toBe('/vents?before=v10');
    older('v40');
    expect(newer()).toBe('/vents?before=v20');
    fireEvent.click(screen.getByRole('link', { name: 'Newer' }));
    expect(newer()).toBe('/vents?before=v10');
    cleanup();
    show('/vents?before=v30', 10);
    expect(newer()).toBe('/vents?page=10');
  });
});

test('list parameters accept any URL, and round-trip', () => {
  const read = (text: string) => readListParams(new URLSearchParams(text));
  expect(read('page=0&sort=worst')).toEqual({
    sort: 'recent',
    page: 1,
    query: '',
    before: undefined,
    feelings: [],
  });
  expect(read('page=99').page).toBe(10);
  expect(read('page=1e1').page).toBe(1);
  for (const address of ['', '?page=4', '?sort=trending&page=2', '?query=%23exam', '?before=abc']) {
    expect(listParamsToSearch(read(address.slice(1)))).toBe(address);
  }
});

describe('a typed search', () => {
  const searching = { pathname: '/vents', search: '?sort=trending&page=3', state: { typed: 'my secret' } };

  it('is read from the history state, and wins over the URL', () => {
    expect(readListParams(new URLSearchParams('query=%23exam'), { typed: 'my secret' }).query).toBe(
      'my secret',
    );
    expect(readListParams(new URLSearchParams('query=%23exam'), { typed: 5 }).query).toBe('#exam');
  });

  it('is passed on by paging links, and never enters the URL', () => {
    const turned = linkFrom(searching, { page: 4 }, { scrollsToList: true });
    expect(turned).toEqual({
      to: { pathname: '/vents', search: '?sort=trending&page=4' },
      state: { typed: 'my secret', scrollsToList: true },
    });
    const typed = linkFrom({ ...searching, state: null }, { query: '#typed too' });
    expect(typed).toEqual({
      to: { pathname: '/vents', search: '?sort=trending' },
      state: { typed: '#typed too' },
    });
    expect(linkFrom(searching, { query: '' }).state).toEqual({});
  });

  it('replaces a followed hashtag, which stays until then', () => {
    const followed = { pathname: '/vent/search', search: '?query=%23exam', state: null };
    expect(linkFrom(followed, { before: 'v9' }).to).toMatchObject({ search: '?query=%23exam&before=v9' });
    expect(linkFrom(followed, { query: 'other' })).toEqual({
      to: { pathname: '/vent/search', search: '' },
      state: { typed: 'other' },
    });
  });
});

describe('the filter by feeling', () => {
  it('is read from the history state alone, in one order, without invalid values', () => {
    const read = (state: unknown) =>
      readListParams(new URLSearchParams('feelings=Sad&emotion=Sad'), state).feelings;
    expect(read({ feelings: ['Anxious', 'Happy', 'Bored', 5] })).toEqual(['Happy', 'Anxious']);
    for (const state of [null, {}, { feelings: 'Sad' }]) expect(read(state)).toEqual([]);
  });

  it('is passed on by paging links and by a search, starts at page 1, and never enters the URL', () => {
    const place = { pathname: '/vents', search: '?sort=trending&page=3', state: { typed: 'exams' } };
    const filtered = linkFrom(place, { feelings: ['Sad'] });
    expect(filtered).toEqual({
      to: { pathname: '/vents', search: '?sort=trending' },
      state: { typed: 'exams', feelings: ['Sad'] },
    });
    const next = { ...place, state: filtered.state };
    expect(linkFrom(next, { page: 4 }).state).toEqual({ typed: 'exams', feelings: ['Sad'] });
    expect(linkFrom(next, { query: '' }).state).toEqual({ feelings: ['Sad'] });
    expect(linkFrom(next, { feelings: [] }).state).toEqual({ typed: 'exams' });
  });
});

test('a search and a filter are shown to the account that made them only', () => {
  const place = { pathname: '/vents', search: '', state: null };
  const read = (state: unknown) => readListParams(new URLSearchParams(), state);
  startSession('one', 'u1');
  const { state } = linkFrom(place, { query: 'my secret', feelings: ['Sad'] });
  expect(JSON.stringify(state)).not.toContain('u1');
  expect(read(state)).toMatchObject({ query: 'my secret', feelings: ['Sad'] });
  endSession('logout');
  startSession('two', 'u2');
  expect(read(state)).toMatchObject({ query: '', feelings: [] });
  expect(linkFrom({ ...place, state }, { page: 2 }).state).toEqual({});
  endSession('logout');
});
