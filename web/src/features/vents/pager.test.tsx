import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { describe, expect, it } from 'vitest';
import { linkFrom, readPlace, writePlace } from './list-place.ts';
import { Pager } from './pager.tsx';

function show(address: string, pageCount: number, olderThan?: string) {
  render(
    <I18nProvider i18n={i18n}>
      <MemoryRouter initialEntries={[address]}>
        <Pager pageCount={pageCount} olderThan={olderThan} />
      </MemoryRouter>
    </I18nProvider>,
  );
}

describe('Pager', () => {
  it('has ten pages, of which the empty ones are disabled and not hidden', () => {
    show('/vents?page=2', 3);
    const links = screen.getAllByRole('link');
    expect(links.map((link) => link.textContent)).toEqual(Array.from({ length: 10 }, (_, at) => `${at + 1}`));
    expect(
      links.filter((link) => link.getAttribute('aria-disabled') === 'true').map((link) => link.textContent),
    ).toEqual(['4', '5', '6', '7', '8', '9', '10']);
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('2');
  });

  it('keeps sort and search while pages turn, and leaves them out of the way when there are none', () => {
    show('/vents?sort=trending&page=2', 10);
    expect(screen.getByRole('link', { name: 'Page 3' }).getAttribute('href')).toBe(
      '/vents?sort=trending&page=3',
    );
    expect(screen.getByRole('link', { name: 'Page 1' }).getAttribute('href')).toBe('/vents?sort=trending');
  });

  it('goes on beyond page ten by the last vent seen', () => {
    show('/vents?before=v9', 10, 'v10');
    expect(screen.queryByRole('link', { current: 'page' })).toBeNull();
    expect(screen.getByRole('link', { name: 'Older' }).getAttribute('href')).toBe('/vents?before=v10');
  });
});

it('reads any address, and writes what it reads', () => {
  const read = (text: string) => readPlace(new URLSearchParams(text));
  expect(read('page=0&sort=worst')).toEqual({ sort: 'recent', page: 1, query: '', before: undefined });
  expect(read('page=99').page).toBe(10);
  expect(read('page=1e1').page).toBe(1);
  for (const address of ['', '?page=4', '?sort=trending&page=2', '?query=%23exam', '?before=abc']) {
    expect(writePlace(read(address.slice(1)))).toBe(address);
  }
});

describe('typed words', () => {
  const searching = { pathname: '/vents', search: '?sort=trending&page=3', state: { typed: 'my secret' } };

  it('are read from the history and win over the address', () => {
    expect(readPlace(new URLSearchParams('query=%23exam'), { typed: 'my secret' }).query).toBe('my secret');
    expect(readPlace(new URLSearchParams('query=%23exam'), { typed: 5 }).query).toBe('#exam');
  });

  it('go along while pages turn, and never into the address', () => {
    const turned = linkFrom(searching, { page: 4 }, { isToListTop: true });
    expect(turned).toEqual({
      to: { pathname: '/vents', search: '?sort=trending&page=4' },
      state: { typed: 'my secret', isToListTop: true },
    });
    const typed = linkFrom({ ...searching, state: null }, { query: '#typed too' });
    expect(typed).toEqual({
      to: { pathname: '/vents', search: '?sort=trending' },
      state: { typed: '#typed too' },
    });
    expect(linkFrom(searching, { query: '' }).state).toEqual({});
  });

  it('leave a hashtag that was followed where it is, until something else is typed', () => {
    const followed = { pathname: '/vent/search', search: '?query=%23exam', state: null };
    expect(linkFrom(followed, { before: 'v9' }).to).toMatchObject({ search: '?query=%23exam&before=v9' });
    expect(linkFrom(followed, { query: 'other' })).toEqual({
      to: { pathname: '/vent/search', search: '' },
      state: { typed: 'other' },
    });
  });
});
