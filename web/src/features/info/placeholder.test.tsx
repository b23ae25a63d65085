import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderSignedIn, testServer } from '../../lib/testing.tsx';
import { PrivacyPage } from './privacy.page.tsx';
import { TermsPage } from './terms.page.tsx';

const unset = {
  nameAndAddress: null,
  support: null,
  termsFrom: null,
  courts: null,
  hosting: null,
  smsCompany: null,
  smsKeeps: null,
};
const marks = () => [...document.querySelectorAll('mark')].map(({ textContent }) => textContent);

test('what the operator has not set is highlighted on /terms and /privacy', async () => {
  testServer(() => ({ officer: null, operator: unset }));
  renderSignedIn(
    <>
      <TermsPage />
      <PrivacyPage />
    </>,
  );
  await expect.poll(() => marks().length).toBe(10);
  expect(new Set(marks()).size).toBe(7);
});

test('what the operator has set is on both pages, the day in words, and nothing is highlighted', async () => {
  const operator = {
    nameAndAddress: 'Unsaid Trust, Pune',
    support: 'help@unsaid.example',
    termsFrom: '2027-01-31',
    courts: 'the courts of Pune',
    hosting: 'a company in Mumbai',
    smsCompany: 'MSG91',
    smsKeeps: '30 days',
  };
  testServer(() => ({ officer: null, operator }));
  renderSignedIn(
    <>
      <TermsPage />
      <PrivacyPage />
    </>,
  );
  for (const text of Object.values({ ...operator, termsFrom: /^(?:31 January|January 31,) 2027$/u }))
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
  expect(marks()).toEqual([]);
});
