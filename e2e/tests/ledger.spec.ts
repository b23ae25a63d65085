import { getLedger, type LedgerMonth } from '@unsaid/contract';
import type { Page } from '@playwright/test';
import { doubleText, expectAccessible, expectToFit } from './a11y.ts';
import { expect, settle, test } from './fixtures.ts';
import { createTranslate } from './translate.ts';
import { fullTier } from './tiers.ts';

const october: LedgerMonth = {
  month: '2026-10',
  reports: 1240,
  decisions: {
    total: 62,
    byRule: [
      { rule: 'harassment', count: 31 },
      { rule: 'encourages_self_harm', count: 12 },
    ],
    otherRules: 19,
    byOutcome: [
      { outcome: 'keep', count: 33 },
      { outcome: 'remove', count: 21 },
    ],
    otherOutcomes: 8,
    byTime: [{ time: '36 hours', count: 41 }],
    otherTimes: 21,
  },
  pauses: 14,
  appeals: null,
  overturned: 0,
  reversed: 0,
  orders: null,
};
const hash = 'a3'.repeat(32);

/** The server keeps its answer for an hour, and ledger.test.ts proves its figures: here it is given. */
async function serveLedger(page: Page, months: readonly LedgerMonth[]): Promise<void> {
  await page.route(`**${getLedger.path}`, (route) =>
    route.fulfill({
      json: { success: true, months, audit: months.length > 0 ? { hash } : null },
    }),
  );
}

for (const locale of ['en', 'hi'] as const) {
  const tier = locale === 'en' ? {} : fullTier('A ledger that is too wide in Hindi is found at night.');
  test(`the ledger is readable at 320 px and passes axe, in ${locale}`, tier, async ({ page }) => {
    const t = createTranslate(locale);
    await page.addInitScript((chosen) => localStorage.setItem('unsaid.locale', chosen), locale);
    await serveLedger(page, [october, { ...october, month: '2026-09' }]);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.goto('/ledger');
    const table = page.getByRole('table').first();
    const figure = (label: string) =>
      table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: t(label), exact: true }) });
    await expect(figure('Reports')).toContainText('1,240');
    await expect(figure('Second looks asked for')).toContainText(t('fewer than 5'));
    await expect(figure('Within 36 hours')).toContainText('41');
    await expect(figure('Other times')).toContainText('21');
    await expect(page.getByText(hash)).toBeVisible();
    await expect(page.getByRole('table')).toHaveCount(1);
    await settle(page);
    await expectToFit(page, `the ledger at 320 px, ${locale}`);
    await page.locator('summary').click();
    await expect(page.getByRole('table')).toHaveCount(2);
    await expectAccessible(page, `the ledger, ${locale}`);
    await page.setViewportSize({ width: 390, height: 844 });
    await doubleText(page);
    await expectToFit(page, `the ledger at 390 px, twice the size, ${locale}`);
  });
}

test(
  'a ledger without months says so',
  fullTier('An empty table in place of a sentence, before the first month only.'),
  async ({ page }) => {
    await serveLedger(page, []);
    await page.goto('/ledger');
    await expect(page.getByText('Nothing yet')).toBeVisible();
    await expect(page.getByRole('table')).toHaveCount(0);
  },
);

test(
  'the grievance officer of the settings is named, and every information page leads there',
  fullTier(
    'The walk over the public screens opens the page; a link that is missing on one page is found at night.',
  ),
  async ({ page }) => {
    for (const path of ['/terms', '/privacy', '/faq', '/support', '/ledger', '/login', '/signup']) {
      await page.goto(path);
      await page.getByRole('link', { name: 'Grievance officer' }).last().click();
      await expect(page).toHaveURL(/\/grievance$/u);
    }
    await expect(page.getByRole('heading', { name: 'Asha Rao' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'grievance@unsaid.example' })).toHaveAttribute(
      'href',
      'mailto:grievance@unsaid.example',
    );
    await page.setViewportSize({ width: 320, height: 700 });
    await settle(page);
    await expectToFit(page, 'the grievance page at 320 px');
    await expectAccessible(page, 'the grievance page');
  },
);
