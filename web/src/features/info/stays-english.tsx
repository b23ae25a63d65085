import { setupI18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { formatLocales } from '../../lib/locale.ts';

const english = setupI18n({ locale: 'en', locales: formatLocales.en, messages: { en: {} } });

/** A long text of the law, which Hinglish has in English (scripts/word-checks.ts knows its files), and says so. */
export function StaysEnglish({ children }: { readonly children: ReactNode }) {
  const { i18n } = useLingui();
  if (i18n.locale !== 'hi-Latn') return children;
  return (
    <>
      <p>
        <Trans>This part is in English for now.</Trans>
      </p>
      <I18nProvider i18n={english}>
        <section lang="en">{children}</section>
      </I18nProvider>
    </>
  );
}
